import type { Command } from "commander";
import { number, verb } from "./verb.ts";

/** For whole bases. */
export function addBaseCommands(program: Command): void {
  const base = program.command("base").description("make, check and delete bases");
  base
    .command("create")
    .description("make an empty base")
    .argument("<name>")
    .option("--model <id>", "embedding model")
    .option("--no-embedding", "searched by words alone")
    .option("--chunk-size <tokens>", "tokens a chunk aims at", number)
    .option("--chunk-overlap <tokens>", "tokens a chunk repeats of the one before", number)
    .action(verb(async (flags, name: string) => (await import("../base.ts")).createBase(name, flags)));
  base
    .command("delete")
    .description("delete a base; watched files are never touched")
    .argument("<base>")
    .action(verb(async (flags, name: string) => (await import("../base.ts")).deleteBase(name, flags)));
  base
    .command("check")
    .description("check that index, words, vectors and catalogue agree")
    .argument("<base>")
    .action(verb(async (flags, name: string) => (await import("../base.ts")).checkBase(name, flags)));
}
