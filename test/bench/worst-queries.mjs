// What the worst queries take, and how long another client's query waits meanwhile and afterwards.
import { connect } from "../../dist/rpc/client.js";
import { ms, percentile, printTable, sleep, textSource } from "./support.mjs";

/** The words are those of the base that large-base.mjs makes. */
const SEED = 7;
const DEADLINE_MS = 2_000;
/** The other client asks again after so long. */
const PAUSE_MS = 25;

/** Prints a row a query: its own time, and the longest wait of a client that asks plain questions at the same time. */
export async function printWorstQueries(socketPath, baseId) {
  const [one, other] = [await connect({ socketPath }), await connect({ socketPath })];
  const rows = [];
  try {
    for (const [name, method, params] of worst()) {
      const call = { baseIds: [baseId], deadlineMs: DEADLINE_MS, ...params };
      const waits = [];
      const state = { over: false };
      const asking = ask(other, baseId, waits, state);
      await sleep(200);
      const started = performance.now();
      const outcome = await one.call(method, call).then(
        () => "answered",
        (error) => error.errorName ?? error.message,
      );
      const took = performance.now() - started;
      // Who comes next may find a host that was ended at the deadline.
      await sleep(1500);
      state.over = true;
      await asking;
      rows.push([
        name,
        `${outcome} in ${ms(took)}; others waited ${ms(percentile(waits, 50))}, ${ms(Math.max(...waits))} at most`,
        "500 ms",
      ]);
    }
  } finally {
    one.close();
    other.close();
  }
  printTable(
    `The worst queries, deadline ${DEADLINE_MS} ms, and other clients' queries (p50, longest)`,
    rows,
  );
}

async function ask(client, baseId, waits, state) {
  const source = textSource(SEED, 5);
  while (!state.over) {
    const query = Array.from({ length: 4 }, source.word).join(" ");
    const started = performance.now();
    await client.call("search.query", { query, baseIds: [baseId] });
    waits.push(performance.now() - started);
    await sleep(PAUSE_MS);
  }
}

function worst() {
  const source = textSource(SEED, 11);
  const words = (count) =>
    [...new Set(Array.from({ length: count * 4 }, source.word))].slice(0, count).join(" ");
  const letters = Array.from("abcdefghijklmnopqrstuvwxyz0123456789").join(" ");
  const excluded = Array.from({ length: 30 }, source.word)
    .map((word) => `-${word}`)
    .join(" ");
  return [
    ["256 different words", "search.query", { query: words(256) }],
    ["10,000 characters", "search.query", { query: words(2_000).slice(0, 10_000) }],
    ["single letters and digits", "search.query", { query: letters }],
    ["stop words alone", "search.query", { query: "to be or not to be that is what it was" }],
    ["thirty exclusions", "search.query", { query: `${source.word()} ${excluded}` }],
    ["200 hits, by document", "search.query", { query: words(40), topK: 200, groupBy: "document" }],
    ["like a text of 100,000 characters", "search.similar", { text: words(30_000).slice(0, 100_000) }],
    ["explained, 200 hits", "search.explain", { query: words(60), topK: 200 }],
    ["an expression that backtracks", "kb.grep", { pattern: "(\\w+\\s?)+;$" }],
    ["an expression that fits all", "kb.grep", { pattern: "(.*)(.*)(.*)(.*)x", limit: 5000 }],
  ];
}
