import type { Command } from "commander";
import { number, verb } from "./verb.ts";

/** For the work in the queue. */
export function addJobCommands(program: Command): void {
  const job = program.command("job").description("see, cancel and retry work");
  job
    .command("list")
    .description("list what waits, runs, is parked or failed")
    .action(verb(async (flags) => (await import("../job.ts")).listJobs(flags)));
  job
    .command("cancel")
    .description("cancel a job")
    .argument("<id>", "the job's number", number)
    .action(verb(async (flags, id: number) => (await import("../job.ts")).cancelJob(id, flags)));
  job
    .command("retry")
    .description("try again what failed, and go on with what is parked")
    .argument("[id]", "the job's number; without it, all that failed or are parked", number)
    .action(verb(async (flags, id?: number) => (await import("../job.ts")).retryJobs(id, flags)));
}
