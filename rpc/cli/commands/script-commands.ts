import type { Command } from "commander";
import { many, verb } from "./verb.ts";

/** For scripts and shells. */
export function addScriptCommands(program: Command): void {
  program
    .command("call")
    .argument("<method>")
    .argument("[params]", "JSON; - reads it from standard input")
    .description("call any method of the daemon (knowd call system.methods lists them)")
    .action(
      verb(async (flags, method: string, params?: string) =>
        (await import("../call.ts")).call(method, params, flags),
      ),
    );

  program
    .command("mcp")
    .description("serve agents and editors over standard input and output (Model Context Protocol)")
    .option("-b, --base <name>", "only this base (may be repeated)", many)
    .option("--allow-manage", "also offer tools that add and delete")
    .option(
      "--token <secret>",
      "only what this token grants; better in KNOWD_TOKEN, where no other user sees it",
    )
    .action(verb(async (flags) => (await import("../mcp.ts")).mcp(flags)));
}
