import { readFileSync } from "node:fs";
import path from "node:path";
import { Command } from "commander";
import { locations } from "../../config/locations.ts";
import { addBaseCommands } from "./commands/base-commands.ts";
import { addDaemonCommands } from "./commands/daemon-commands.ts";
import { addItemCommands } from "./commands/item-commands.ts";
import { addJobCommands } from "./commands/job-commands.ts";
import { addScriptCommands } from "./commands/script-commands.ts";
import { addSearchCommands } from "./commands/search-commands.ts";
import { addTokenCommands } from "./commands/token-commands.ts";
import { addTextCommands } from "./commands/text-commands.ts";
import { paintError } from "./print.ts";

/** The whole command line: every verb with its arguments and options. */
export function createProgram(): Command {
  const program = new Command("knowd");
  program
    .description("A local knowledge daemon: watches folders, indexes what is in them, answers searches.")
    .option("--data-dir <folder>", "where bases and catalogue live")
    .option("--socket <path>", "the daemon's socket")
    .option("--config <file>", "the configuration file (TOML or JSON)")
    .option("--json", "print the result as JSON, for scripts")
    .version(packageVersion(), "-V, --version", "print the version")
    .exitOverride()
    .configureHelp({ showGlobalOptions: true })
    .showHelpAfterError("       --help behind a command shows its arguments and options")
    .configureOutput({
      outputError: (text, write) => write(text.replace(/^error:/, paintError.red("knowd:"))),
    });
  addDaemonCommands(program);
  addSearchCommands(program);
  addTextCommands(program);
  addItemCommands(program);
  addBaseCommands(program);
  addJobCommands(program);
  addTokenCommands(program);
  addScriptCommands(program);
  return program;
}

export function packageVersion(): string {
  const text = readFileSync(path.join(locations.packageRoot, "package.json"), "utf8");
  return (JSON.parse(text) as { version: string }).version;
}
