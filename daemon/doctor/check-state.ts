import type { SearchTasks } from "../../workers/search/contract.ts";
import type { WorkerTasks } from "../../workers/contract.ts";
import type { Check } from "../../rpc/contract/doctor.ts";
import { modelWarnings } from "../ingest/base-model.ts";
import type { IngestDeps } from "../ingest/ingest-deps.ts";
import type { Host } from "../runtime/host.ts";
import { amountOf, note, ok, problem, shellWord } from "./machine/findings.ts";

export interface StateInput {
  readonly ingest: IngestDeps;
  readonly hosts: { readonly worker: Host<WorkerTasks>; readonly search: Host<SearchTasks> };
}

/** How many folders or bases a sentence names. */
const NAMED = 5;

/** What the running daemon knows about itself and its data. */
export function checkState(input: StateInput): Check[] {
  return [
    checkHosts(input.hosts),
    checkSources(input.ingest),
    ...checkBases(input.ingest),
    checkItems(input.ingest),
    checkJobs(input.ingest),
  ];
}

function checkHosts({ worker, search }: StateInput["hosts"]): Check {
  const failed = [worker.stats(), search.stats()].filter((host) => host.state === "failed");
  return failed.length === 0
    ? ok("processes", `this is the daemon with pid ${process.pid}, and its helper processes can be started`)
    : problem(
        "processes",
        `a helper process can't be started: ${failed.map((host) => host.reason ?? "no reason is known").join("; ")}`,
        "knowd stop && knowd up",
      );
}

function checkSources({ catalog }: IngestDeps): Check {
  const sources = catalog.sources.all();
  const away = sources.filter((source) => source.state === "unavailable");
  const polled = sources.filter((source) => source.state === "polling");
  const all = amountOf(sources.length, "watched folder");
  const [first] = away;
  if (first) {
    const fix = `ls -ld ${shellWord(first.path)}`;
    return problem("sources", `${away.length} of ${all} can't be read: ${named(away, reasonOf)}`, fix);
  }
  return polled.length > 0
    ? note(
        "sources",
        `${polled.length} of ${all} are scanned from time to time: ${named(polled, reasonOf)}`,
        null,
      )
    : ok("sources", `${all}, nothing of which is away`);
}

function reasonOf({ path, stateReason }: { path: string; stateReason: string | null }): string {
  return stateReason === null ? path : `${path} (${stateReason})`;
}

function checkBases(ingest: IngestDeps): Check[] {
  const bases = ingest.catalog.bases.all();
  const failed = bases.filter((base) => base.status === "failed");
  const changed = modelWarnings(ingest, bases);
  const [first] = failed;
  return [
    first
      ? problem(
          "bases",
          `${failed.length} of ${amountOf(bases.length, "base")} can't be searched: ${named(failed, ({ name, error }) => `${name} (${error ?? "no reason is known"})`)}`,
          `knowd call base.restore '{"baseId":"${first.id}"}'`,
        )
      : ok("bases", amountOf(bases.length, "base")),
    ...changed.map((sentence) => note("model", sentence, null)),
  ];
}

function checkItems({ catalog }: IngestDeps): Check {
  const counts = catalog.bases.all().map(({ id }) => catalog.bases.counts(id));
  const failed = counts.reduce((sum, one) => sum + one.failed, 0);
  const completed = counts.reduce((sum, one) => sum + one.completed, 0);
  return failed === 0
    ? ok("items", `${amountOf(completed, "document")}, and no file that could not be read`)
    : note(
        "items",
        `${amountOf(failed, "file")} could not be read, ${completed} were`,
        "knowd status --failed",
      );
}

function checkJobs({ catalog }: IngestDeps): Check {
  const { queued, running, parked, failed } = catalog.jobs.counts();
  if (parked > 0)
    return note("jobs", `${amountOf(parked, "job")} parked after an interruption`, "knowd job retry");
  const found = `${amountOf(queued, "job")} waiting, ${running} running`;
  return failed > 0
    ? note("jobs", `${found}, ${failed} were given up`, "knowd job retry")
    : ok("jobs", found);
}

function named<T>(all: readonly T[], name: (one: T) => string): string {
  const more = all.length > NAMED ? `; and ${all.length - NAMED} more` : "";
  return all.slice(0, NAMED).map(name).join("; ") + more;
}
