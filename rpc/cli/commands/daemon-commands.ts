import type { Command } from "commander";
import { verb } from "./verb.ts";

/** To start, stop and look at the daemon. */
export function addDaemonCommands(program: Command): void {
  program
    .command("up")
    .argument("[folders...]", "folders to watch; none only starts the daemon")
    .description("start the daemon if none runs, watch folders, show progress until idle")
    .option("--base <name>", "put the folders into this base instead of one named after each")
    .option("--no-embedding", "make a base that is searched by words alone")
    .option("--no-wait", "return at once and index in the background")
    .action(verb(async (flags, folders: string[]) => (await import("../up.ts")).up(folders, flags)));

  program
    .command("start")
    .description("run the daemon in this terminal until it is stopped")
    .action(verb(async (flags) => (await import("../spawn-daemon.ts")).runInForeground(flags)));

  program
    .command("stop")
    .description("stop the daemon; what it was doing goes on at the next start")
    .action(verb(async (flags) => (await import("../stop.ts")).stop(flags)));

  program
    .command("status")
    .description("show what the daemon is doing")
    .option("--failed", "list the files that could not be read, by reason")
    .action(verb(async (flags) => (await import("../status.ts")).status(flags)));

  program
    .command("formats")
    .description("list the formats that are read, and what reads them")
    .action(verb(async (flags) => (await import("../formats.ts")).formats(flags)));

  program
    .command("doctor")
    .description("look for what keeps knowd from working well, and say what to do")
    .option("--online", "also ask the configured models' endpoints, which may cost money")
    .option("--deep", "read every index whole, which takes a while")
    .action(verb(async (flags) => (await import("../doctor.ts")).doctor(flags)));
}
