import path from "node:path";
import type { Client } from "../client.ts";
import type { Base } from "../contract/bases.ts";
import { CommandFailure, EXIT } from "./exit.ts";
import { noteText } from "./note-text.ts";
import { out, paint, printJson, shownName, shownPath } from "./print.ts";
import { allBases, basesNamed, withClient, type GlobalFlags } from "./session.ts";

export interface NoteFlags extends GlobalFlags {
  readonly base?: string | undefined;
  readonly file?: string | undefined;
  readonly title?: string | undefined;
}

/** Where notes go when no base is named. */
const NOTES = "notes";

/** Keeps a text in a base as a Markdown file that can be edited where it stands; prints where that is. */
export async function note(words: readonly string[], flags: NoteFlags): Promise<void> {
  const content = await noteText(words, flags.file);
  await withClient(flags, async (client) => {
    const base = await baseFor(client, flags.base);
    const title = flags.title?.trim();
    const result = await client.call("item.add", {
      baseId: base.id,
      notes: [{ content, ...(title !== undefined && title !== "" && { title }) }],
    });
    const [added] = result.added;
    if (!added)
      throw new CommandFailure(
        EXIT.failed,
        `the note was not kept: ${result.failed[0]?.reason ?? "no reason is known"}`,
      );
    const { dataDir } = await client.call("system.status", {});
    const file = path.join(dataDir, "KnowledgeBase", base.id, "raw", added.conceptId);
    if (flags.json) printJson({ ...result, baseId: base.id, file });
    else {
      out(`Kept in ${paint.bold(shownName(base.name))} as ${shownName(added.conceptId)}:`);
      out(shownPath(file));
    }
  });
}

async function baseFor(client: Client, name: string | undefined): Promise<Base> {
  const named = (await basesNamed(client, name === undefined ? undefined : [name]))?.[0];
  if (named) return named;
  const usual = (await allBases(client)).find((base) => base.name === NOTES);
  return usual ?? (await client.call("base.create", { name: NOTES })).base;
}
