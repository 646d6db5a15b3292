import type { Command } from "commander";
import { many, number, verb } from "./verb.ts";

/** For those who open connections to some bases alone. */
export function addTokenCommands(program: Command): void {
  const token = program
    .command("token")
    .description("let programs use some bases alone: make, list and revoke tokens");
  token
    .command("create")
    .description(
      "make a token for a program's connection, which opens a session with it; its secret is shown this once",
    )
    .option("-b, --base <name>", "a base that it grants (may be repeated)", many)
    .option("--all", "all bases, also those that are made later")
    .option("--read", "to read and to search, which is the default")
    .option("--write", "to add, delete and refresh what is in them too")
    .option("--name <name>", "what it is for")
    .option("--days <n>", "how long it is good; without it until it is revoked", number)
    .action(verb(async (flags) => (await import("../token.ts")).createToken(flags)));
  token
    .command("list")
    .description("list the tokens, without their secrets")
    .action(verb(async (flags) => (await import("../token.ts")).listTokens(flags)));
  token
    .command("revoke")
    .argument("<token>", "its name or id")
    .option("-b, --base <name>", "take only this base out of it (may be repeated)", many)
    .description("take a token back: sessions that it opened end with their next call")
    .action(verb(async (flags, name: string) => (await import("../token.ts")).revokeToken(name, flags)));
}
