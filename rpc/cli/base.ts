import { CommandFailure, EXIT } from "./exit.ts";
import { out, plural, printJson } from "./print.ts";
import { basesNamed, withClient, type GlobalFlags } from "./session.ts";

export interface CreateFlags extends GlobalFlags {
  readonly embedding?: boolean | undefined;
  readonly model?: string | undefined;
  readonly chunkSize?: number | undefined;
  readonly chunkOverlap?: number | undefined;
}

export async function createBase(name: string, flags: CreateFlags): Promise<void> {
  await withClient(flags, async (client) => {
    const model =
      flags.embedding === false
        ? { embeddingModelId: null }
        : flags.model === undefined
          ? {}
          : { embeddingModelId: flags.model };
    const result = await client.call("base.create", {
      name,
      ...model,
      ...(flags.chunkSize !== undefined && { chunkSize: flags.chunkSize }),
      ...(flags.chunkOverlap !== undefined && { chunkOverlap: flags.chunkOverlap }),
    });
    if (flags.json) printJson(result);
    else out(`Made ${result.base.name} (${result.base.id}).`);
  });
}

export async function deleteBase(name: string, flags: GlobalFlags): Promise<void> {
  await withClient(flags, async (client) => {
    const base = await one(client, name);
    const result = await client.call("base.delete", { baseId: base.id });
    if (flags.json) printJson(result);
    else out(`Deleted ${base.name}. Watched files were not touched.`);
  });
}

export async function checkBase(name: string, flags: GlobalFlags): Promise<number> {
  return await withClient(flags, async (client) => {
    const base = await one(client, name);
    const report = await client.call("base.check", { baseId: base.id });
    if (flags.json) printJson(report);
    else {
      for (const problem of report.problems)
        out(
          `! ${problem.kind}: ${problem.count}${problem.example === undefined ? "" : ` (${problem.example})`}`,
        );
      out(
        report.ok
          ? `${base.name} is sound: ${plural(report.units, "chunk")}, ${plural(report.vectors, "vector")}.`
          : "Reindex it: knowd reindex --base …",
      );
    }
    return report.ok ? EXIT.done : EXIT.failed;
  });
}

type ClientOf = Parameters<Parameters<typeof withClient>[1]>[0];

async function one(client: ClientOf, name: string) {
  const base = (await basesNamed(client, [name]))?.[0];
  if (!base) throw new CommandFailure(EXIT.notFound, `there is no base "${name}"`);
  return base;
}
