import { Argument, type Command } from "commander";
import { SHELLS, type Shell } from "../completion/scripts.ts";
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

  program
    .command("completion")
    .addArgument(new Argument("<shell>", "whose script to print").choices(SHELLS))
    .argument(
      "[words...]",
      "print what may stand in the place of the last of these words; the script asks so",
    )
    .description("print a script by which a shell completes commands, options and bases")
    .addHelpText(
      "after",
      `
bash:  source <(knowd completion bash)     in ~/.bashrc
zsh:   source <(knowd completion zsh)      in ~/.zshrc, after compinit
fish:  knowd completion fish | source      in ~/.config/fish/config.fish`,
    )
    .action(
      verb(async (flags, shell: Shell, words: string[]) =>
        (await import("../completion/completion.ts")).completion(shell, words, flags, program),
      ),
    );
}
