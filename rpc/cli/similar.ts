import { text as textOf } from "node:stream/consumers";
import type { Client } from "../client.ts";
import type { ParamsInput } from "../contract/index.ts";
import { CommandFailure, EXIT } from "./exit.ts";
import { harmless, printJson } from "./print.ts";
import { printHits } from "./search.ts";
import { basesNamed, withClient, type GlobalFlags } from "./session.ts";
import { targetOf } from "./target.ts";

export interface SimilarFlags extends GlobalFlags {
  readonly base?: string[] | undefined;
  readonly limit?: number | undefined;
  readonly documents?: boolean | undefined;
  readonly cursor?: string | undefined;
}

/** Prints what is like a document, or like the text from standard input (`-`). Answers the exit code, as a search does. */
export async function similar(target: string, flags: SimilarFlags): Promise<number> {
  return await withClient(flags, async (client) => {
    const bases = await basesNamed(client, flags.base);
    const result = await client.call("search.similar", {
      ...(await subjectOf(client, target)),
      ...(bases && { baseIds: bases.map((base) => base.id) }),
      ...(flags.limit !== undefined && { topK: flags.limit }),
      ...(flags.documents && { groupBy: "document" as const }),
      ...(flags.cursor !== undefined && { cursor: flags.cursor }),
    });
    if (flags.json) printJson(result);
    else printHits(target, result);
    return result.hits.length > 0 ? EXIT.done : EXIT.notFound;
  });
}

async function subjectOf(client: Client, target: string): Promise<ParamsInput<"search.similar">> {
  if (target === "-") return { text: await textOf(process.stdin) };
  const { items } = await client.call("item.find", targetOf(target, undefined));
  const [item] = items;
  if (!item) throw new CommandFailure(EXIT.notFound, `${harmless(target)} is in no base`, "see knowd ls");
  return { itemId: item.id };
}
