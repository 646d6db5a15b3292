import path from "node:path";
import { afterEach, describe, expect, it, onTestFinished } from "vitest";
import { openIndexReader } from "../../workers/search/index-reader.ts";
import { PackedVectors } from "../../workers/search/vectors/packed-vectors.ts";
import { createScanThread, type ScanThread } from "../../workers/search/vectors/scan-thread.ts";
import { createVectorLane } from "../../workers/search/vectors/vector-lane.ts";
import { embeddingSource } from "../../workers/search/vectors/vector-source.ts";
import { buildIndex } from "../support/build-index.ts";
import { eventually } from "../support/eventually.ts";
import { temporaryFolder } from "../support/temporary.ts";

const entry = new URL("../../dist/workers/search/vectors/scan-worker.js", import.meta.url);
const DIMENSIONS = 40;
const NEAREST = 25;

const started: ScanThread[] = [];

afterEach(() => {
  for (const thread of started.splice(0)) thread.release();
});

let state = 7;
function random(): number {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return state / 2 ** 31 - 1;
}

const vector = (): Float32Array => Float32Array.from({ length: DIMENSIONS }, random);

function packOf(count: number): PackedVectors {
  const pack = new PackedVectors(DIMENSIONS);
  for (let number = 1; number <= count; number++) pack.append(number, vector());
  return pack;
}

/** A thread that takes jobs. */
async function openThread(code = entry, patienceMs = 5000): Promise<ScanThread> {
  const thread = createScanThread(code, { leastVectors: 1, patienceMs });
  started.push(thread);
  const pack = packOf(1);
  await eventually(() => {
    pack.begin(vector(), 1, thread);
    return pack.isShared || undefined;
  });
  return thread;
}

/** It says that it is ready, and then does nothing. */
const deaf = new URL(
  `data:text/javascript,${encodeURIComponent(`
    import { workerData } from "node:worker_threads";
    Atomics.store(workerData.control, 0, 1);
    setInterval(() => undefined, 1000);`)}`,
);

describe("the thread that scans vectors", () => {
  it("finds what is found without it, while vectors are added, filled in, deleted and asked for", async () => {
    const thread = await openThread();
    const pack = packOf(5000);
    const check = (query: Float32Array, k = NEAREST): void => {
      const expected = pack.top(query, k, null);
      pack.begin(query, k, thread);
      expect(pack.top(query, k, null)).toEqual(expected);
    };
    check(vector());
    const query = vector();
    pack.begin(query, NEAREST, thread);
    for (let number = 5001; number <= 9000; number++) pack.append(number, number % 5 === 0 ? null : vector());
    check(query);
    pack.begin(query, NEAREST, thread);
    for (let number = 5005; number <= 9000; number += 5) pack.fill(number, vector());
    check(query, 2048);
    pack.begin(query, NEAREST, thread);
    pack.retain(Array.from({ length: 3000 }, (_, at) => 3 * at + 1));
    check(query);
    pack.begin(query, NEAREST, thread);
    const [first] = pack.cosines(query, [4, 5, 7]);
    expect(first?.[0]).toBe(4);
    check(vector(), 1);
  });

  it("answers another query, another depth and a filter as if nothing had been begun", async () => {
    const thread = await openThread();
    const pack = packOf(6000);
    const [query, other] = [vector(), vector()];
    const odd = { size: 3000, has: (number: number) => number % 2 === 1 };
    const ask = () => [pack.top(other, NEAREST, null), pack.top(query, 7, null), pack.top(query, 30, odd)];
    const expected = ask();
    const found = expected.map((_, at) => {
      pack.begin(query, NEAREST, thread);
      return ask()[at];
    });
    expect(found).toEqual(expected);
  });

  it("looks in the vectors of two bases for one search", async () => {
    const thread = await openThread();
    const packs = [packOf(40_000), packOf(3000)];
    const query = vector();
    const expected = packs.map((pack) => pack.top(query, NEAREST, null));
    for (const pack of packs) pack.begin(query, NEAREST, thread);
    expect(packs.map((pack) => pack.top(query, NEAREST, null))).toEqual(expected);
  });

  it("is not asked for few vectors, for none, without a direction or for more than it has room for", async () => {
    const thread = await openThread();
    const pack = packOf(2000);
    const query = vector();
    pack.begin(query, NEAREST, createScanThread(entry));
    pack.begin(query, 0, thread);
    pack.begin(new Float32Array(DIMENSIONS), NEAREST, thread);
    pack.begin(query, 100_000, thread);
    expect(pack.isShared).toBe(false);
    expect(pack.top(query, 100_000, null).length).toBeGreaterThan(500);
  });

  it("is said to be lost when it does not answer, and with it the vectors that it was given", async () => {
    const thread = await openThread(deaf, 50);
    const pack = packOf(100);
    const query = vector();
    pack.begin(query, NEAREST, thread);
    expect(() => pack.top(query, NEAREST, null)).toThrow("gave no answer for 50 ms");
    expect(pack.isLost).toBe(true);
  });

  it("that is lost costs one search its answer: the next loads the vectors anew", async () => {
    const index = buildIndex(path.join(temporaryFolder(), "index.sqlite"));
    onTestFinished(() => index.close());
    for (let at = 0; at < 50; at++)
      index.add({ id: `m${at}`, chunks: [{ text: `text ${at}`, vector: [1, at, 0, 0] }] });
    const reader = openIndexReader("base", index.path);
    onTestFinished(() => reader.close());
    const lane = createVectorLane(reader, await openThread(deaf, 50));
    const source = embeddingSource(reader, 4);
    const query = Float32Array.of(1, 2, 0, 0);
    lane.refresh(source, 1000);
    lane.lookAhead(query, 5);
    expect(() => lane.nearest(query, 5, null)).toThrow("gave no answer");
    expect(lane.refresh(source, 1000)).toEqual({ complete: true, loaded: 50 });
    expect(lane.nearest(query, 5, null)).toHaveLength(5);
  });

  it("is started anew when it was let go", async () => {
    const thread = await openThread();
    thread.release();
    const pack = packOf(100);
    const query = vector();
    await eventually(() => {
      pack.begin(query, NEAREST, thread);
      return pack.isShared || undefined;
    });
    expect(pack.top(query, NEAREST, null)).toHaveLength(NEAREST);
  });

  it("gives no answer where there is no built code, and nothing waits for it", () => {
    const thread = createScanThread(null, { leastVectors: 1 });
    const pack = packOf(2000);
    const query = vector();
    pack.begin(query, NEAREST, thread);
    expect(pack.isShared).toBe(false);
    expect(pack.top(query, NEAREST, null)).toHaveLength(NEAREST);
  });
});
