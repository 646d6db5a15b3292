// Tables for people.
import { printColumns } from "../columns.mjs";
import { percentile } from "../support.mjs";
import { barOf, knownBars, knownPeers, PARAPHRASE_BAR, storedBaseline } from "./bars.mjs";
import { KNOWN } from "./collections.mjs";
import { mean } from "./metrics.mjs";

const figure = (value) => (value === null || value === undefined ? "" : value.toFixed(4));
const time = (value) => (value === undefined ? "" : value.toFixed(1));

export function latencyOf(times) {
  return times.length === 0 ? null : { p50: percentile(times, 50), p95: percentile(times, 95) };
}

/** `measured`: collection → { counts, modes: mode → { means, latencyMs, queries } }. */
export function printFigures(measured) {
  const rows = Object.entries(measured).flatMap(([name, { counts, modes }]) =>
    Object.entries(modes).map(([mode, { means, latencyMs }]) => {
      const allMeans = Object.fromEntries(
        Object.entries(modes).map(([one, figures]) => [one, figures.means]),
      );
      const bar = name === KNOWN ? null : barOf(name, mode, allMeans);
      return [
        name,
        counts.chunks,
        mode,
        figure(means.ndcg10),
        bar === null ? "" : `${bar.toFixed(4)} ${verdict(means.ndcg10, bar)}`,
        figure(mode === "bm25" ? storedBaseline(name) : null),
        figure(means.recall10),
        figure(means.recall100),
        figure(means.mrr10),
        figure(means.empty),
        time(latencyMs?.p50),
        time(latencyMs?.p95),
      ];
    }),
  );
  printColumns(
    [
      "",
      "chunks",
      "mode",
      "nDCG@10",
      "bar",
      "stored",
      "R@10",
      "R@100",
      "MRR@10",
      "no answer",
      "p50 ms",
      "p95 ms",
    ],
    rows,
  );
}

function verdict(value, bar) {
  return value >= bar ? "reached" : `missed by ${(bar - value).toFixed(4)}`;
}

/** Shares of known items among the first ten, by kind of query, beside their bars and what other programs reach. */
export function printKnownItems({ queries, modes }) {
  const rows = Object.entries(knownBars).map(([type, bars]) => {
    const ids = queries.filter((query) => query.type === type).map(({ id }) => id);
    const shares = Object.entries(modes).map(([mode, { queries: scores }]) => {
      const share = mean(ids.map((id) => scores[id].success10));
      return bars[mode] === undefined
        ? figure(share)
        : `${figure(share)} (${bars[mode]} ${verdict(share, bars[mode])})`;
    });
    return [type, ids.length, ...shares, ...Object.values(knownPeers).map((peer) => peer[type])];
  });
  printColumns(
    ["known items, R@10 (bar)", "queries", ...Object.keys(modes), ...Object.keys(knownPeers)],
    rows,
  );
}

/** At which ranks the one answer of each paraphrase stands. */
export function printParaphrases({ modes }) {
  const ranges = [
    ["rank 1", 1, 1],
    ["2–3", 2, 3],
    ["4–10", 4, 10],
    ["11–100", 11, 100],
  ];
  const rows = Object.entries(modes).map(([mode, { means, queries }]) => {
    const ranks = Object.values(queries).map(({ rank }) => rank);
    const counts = ranges.map(([, from, to]) => ranks.filter((rank) => rank >= from && rank <= to).length);
    const missing = ranks.filter((rank) => rank === null).length;
    const bar = mode === "hybrid" ? `${PARAPHRASE_BAR} ${verdict(means.success3, PARAPHRASE_BAR)}` : "";
    return [mode, ...counts, missing, figure(means.success3), bar];
  });
  printColumns(["paraphrases", ...ranges.map(([name]) => name), "none", "share 1–3", "bar"], rows);
}

export function printChanges(file, rows) {
  if (rows.length === 0) process.stdout.write(`\nno nDCG@10 differs by more than .001 from ${file}\n`);
  else printColumns([`since ${file}`, "mode", "before", "now", "difference", "better", "worse", "p"], rows);
}
