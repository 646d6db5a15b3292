import { out, paint, plural, printJson } from "./print.ts";
import { withClient, type GlobalFlags } from "./session.ts";

export async function listJobs(flags: GlobalFlags): Promise<void> {
  await withClient(flags, async (client) => {
    const page = await client.call("job.list", { limit: 100 });
    if (flags.json) return printJson(page);
    for (const job of page.items)
      out(`${job.id}  ${job.kind}  ${job.state}  ${job.itemId}  ${paint.dim(job.error ?? "")}`);
    if (page.items.length === 0) out("Nothing waits and nothing runs.");
    if (page.cursor !== undefined)
      out(paint.dim("… and more: knowd call job.list pages through all of them"));
    return undefined;
  });
}

export async function cancelJob(jobId: number, flags: GlobalFlags): Promise<void> {
  await withClient(flags, async (client) => {
    const result = await client.call("job.cancel", { jobId });
    if (flags.json) printJson(result);
    else out("Cancelled.");
  });
}

export async function retryJobs(jobId: number | undefined, flags: GlobalFlags): Promise<void> {
  await withClient(flags, async (client) => {
    const result = await client.call("job.retry", jobId === undefined ? {} : { jobId });
    if (flags.json) printJson(result);
    else out(`${plural(result.queued, "job")} queued again.`);
  });
}
