import type { Command } from "commander";
import { verb } from "./verb.ts";

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
}
