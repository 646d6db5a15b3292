import { MultiBar, Presets, type SingleBar } from "cli-progress";
import type { Client } from "../client.ts";
import type { BaseView } from "../contract/bases.ts";
import type { Source } from "../contract/sources.ts";
import { allOf } from "./pages.ts";
import { count, duration, out, shownName } from "./print.ts";

/** As shells say of a command that was ended by Ctrl-C. */
const EXIT_INTERRUPTED = 130;
const POLL_MS = 150;
/** What a line takes beside its bar; in a terminal narrower than WIDE_COLUMNS it says less. */
const TEXT_COLUMNS = 84;
const WIDE_COLUMNS = 100;
const NAME_COLUMNS = 18;
/** Indexing starts when files have settled: an empty queue right after a scan says nothing yet. */
const QUIET_POLLS = 2;

/**
 * Waits until the sources' bases are idle, with a bar for each on a terminal: files, chunks, failed, rate, time left.
 * Ends early, without an error, for a source that can't be read or is paused: its state says so.
 */
export async function followUntilIdle(
  client: Client,
  sources: readonly Source[],
  visible: boolean,
): Promise<void> {
  const bars = visible && process.stderr.isTTY ? openBars() : null;
  const baseIds = [...new Set(sources.map((source) => source.baseId))];
  const leave = (): void => {
    // The bars have switched off the cursor and the wrapping of lines.
    bars?.stop();
    out("Indexing goes on in the background: knowd status");
    process.exit(EXIT_INTERRUPTED);
  };
  if (bars) process.once("SIGINT", leave);
  const watchers = baseIds.map((baseId) => ({ baseId, bar: null as SingleBar | null, quiet: 0 }));
  try {
    while (watchers.some((watcher) => watcher.quiet < QUIET_POLLS)) {
      const status = await client.call("system.status", {});
      const current = await sourcesNow(client, sources);
      for (const watcher of watchers) {
        const { base } = await client.call("base.get", { baseId: watcher.baseId });
        // What waits for a folder that is away would be waited for without end.
        const away = current.some(
          (source) => source.baseId === watcher.baseId && source.state === "unavailable",
        );
        const scanning = current.some(
          (source) => source.baseId === watcher.baseId && source.state === "scanning",
        );
        watcher.quiet = (base.counts.active === 0 || away) && !scanning ? watcher.quiet + 1 : 0;
        if (bars) watcher.bar = show(bars, watcher.bar, base, scanning, status.filesPerSecond);
      }
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  } finally {
    bars?.stop();
    process.off("SIGINT", leave);
  }
}

/** The sources as they are by now; one that was removed meanwhile is not among them. */
export async function sourcesNow(client: Client, sources: readonly Source[]): Promise<Source[]> {
  const wanted = new Set(sources.map((source) => source.id));
  const found: Source[] = [];
  for (const baseId of new Set(sources.map((source) => source.baseId))) {
    const all = await allOf((page) => client.call("source.list", { baseId, ...page }));
    found.push(...all.filter((source) => wanted.has(source.id)));
  }
  return found;
}

function openBars(): MultiBar {
  const columns = process.stderr.columns ?? 80;
  const chunks = columns < WIDE_COLUMNS ? "" : " {chunks} chunks,";
  return new MultiBar(
    {
      format: `{name} {bar} {done} of {all} files,${chunks} {failed} failed · {rate}/s · {left}`,
      stream: process.stderr,
      clearOnComplete: true,
      hideCursor: true,
      barsize: Math.min(24, Math.max(6, columns - TEXT_COLUMNS)),
      forceRedraw: true,
    },
    Presets.shades_classic,
  );
}

function nameColumn(name: string): string {
  const shown = shownName(name);
  const cut = shown.length > NAME_COLUMNS ? `${shown.slice(0, NAME_COLUMNS - 1)}…` : shown;
  return cut.padEnd(NAME_COLUMNS);
}

function timeLeft(files: number, rate: number): string {
  if (files <= 0) return "done";
  return rate > 0 ? `${duration((files / rate) * 1000)} left` : "…";
}

function show(
  bars: MultiBar,
  bar: SingleBar | null,
  base: BaseView,
  scanning: boolean,
  rate: number,
): SingleBar {
  const { completed, failed, skipped, items, chunks } = base.counts;
  const done = completed + failed + skipped;
  const payload = {
    name: nameColumn(base.name),
    done: count(done),
    all: count(items),
    chunks: count(chunks),
    failed: count(failed),
    rate: count(Math.round(rate)),
    left: scanning ? "scanning" : timeLeft(items - done, rate),
  };
  if (!bar) return bars.create(Math.max(items, 1), done, payload);
  bar.setTotal(Math.max(items, 1));
  bar.update(done, payload);
  return bar;
}
