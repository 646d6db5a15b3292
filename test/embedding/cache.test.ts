import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { openDatabase } from "../../daemon/storage/sqlite.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { openTestCache } from "./endpoint.ts";

const DAY_MS = 86_400_000;
const hash = (text: string): string => createHash("sha256").update(text).digest("hex");
const [a, b, c] = ["a", "b", "c"].map(hash) as [string, string, string];

describe("the vector cache", () => {
  it("gives back what it was given, by model, bit for bit", async () => {
    const path = `${temporaryFolder()}/vectors.sqlite`;
    const cache = openTestCache(path);
    const vector = Float32Array.of(0.1, -2, 3e-38);
    await cache.put(
      "m",
      new Map([
        [a, vector],
        [b, new Float32Array(vector.buffer, 4, 2)],
      ]),
    );
    const reopened = openTestCache(path);
    expect(reopened.get("m", [a, b, c])).toEqual(
      new Map([
        [a, vector],
        [b, vector.slice(1)],
      ]),
    );
    expect(reopened.get("other", [a])).toEqual(new Map());
  });

  it("takes a later vector in place of an earlier one", async () => {
    const cache = openTestCache();
    await cache.put("m", new Map([[a, Float32Array.of(1)]]));
    await cache.put("m", new Map([[a, Float32Array.of(2)]]));
    expect(cache.get("m", [a]).get(a)).toEqual(Float32Array.of(2));
  });

  it("keeps a vector for keepDays after its last use, not after its making", async () => {
    let now = 20_000 * DAY_MS;
    const cache = openTestCache(undefined, () => now);
    await cache.put(
      "m",
      new Map([
        [a, Float32Array.of(1)],
        [b, Float32Array.of(2)],
      ]),
    );
    now += 6 * DAY_MS;
    expect(cache.get("m", [a]).size).toBe(1);
    now += 2 * DAY_MS;
    expect(await cache.sweep()).toBe(1);
    expect([...cache.get("m", [a, b]).keys()]).toEqual([a]);
  });

  it("sweeps any number, in short steps, and stops when told to", async () => {
    let now = 0;
    const cache = openTestCache(undefined, () => now);
    await cache.put(
      "m",
      new Map(Array.from({ length: 500 }, (_, at) => [hash(`${at}`), Float32Array.of(at)])),
    );
    now = 30 * DAY_MS;
    expect(await cache.sweep(AbortSignal.abort())).toBe(0);
    expect(await cache.sweep()).toBe(500);
  });

  it("remembers a model's dimensions", () => {
    const cache = openTestCache();
    expect(cache.dimensions("m")).toBeNull();
    cache.rememberDimensions("m", 768);
    expect(cache.dimensions("m")).toBe(768);
  });

  it("is thrown away when it is damaged, and refused when it is something else", () => {
    const folder = temporaryFolder();
    writeFileSync(`${folder}/damaged.sqlite`, "x".repeat(10_000));
    expect(openTestCache(`${folder}/damaged.sqlite`).get("m", [a])).toEqual(new Map());
    const path = `${folder}/other.sqlite`;
    const sql = "CREATE TABLE other (id INTEGER)";
    openDatabase({
      path,
      applicationId: 1,
      migrations: [{ version: 1, sql }],
      synchronous: "NORMAL",
    }).close();
    expect(() => openTestCache(path)).toThrow("not a database of this kind");
  });

  it("is an empty cache, not an error, when it fails later", async () => {
    const cache = openTestCache();
    await cache.put("m", new Map([[a, Float32Array.of(1)]]));
    cache.close();
    expect(cache.get("m", [a])).toEqual(new Map());
    await cache.put("m", new Map([[b, Float32Array.of(1)]]));
    expect(cache.dimensions("m")).toBeNull();
  });
});
