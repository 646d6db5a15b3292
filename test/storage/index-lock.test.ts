import { describe, expect, it } from "vitest";
import { createBaseLock } from "../../daemon/storage/index/base-lock.ts";
import { baseId, openTestRegistry, revision } from "../support/index-revision.ts";

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe("the base's lock", () => {
  it("K1.3 holds everyone else off, and lets its holder write", async () => {
    const { registry } = openTestRegistry();
    await registry.create(baseId, { substring: false });
    const order: string[] = [];
    const held = registry.runExclusive(baseId, async () => {
      await turn();
      await registry.commit(baseId, [revision("a", ["from inside"])]);
      order.push("inside");
    });
    const outside = registry
      .commit(baseId, [revision("b", ["from outside"])])
      .then(() => order.push("outside"));
    await Promise.all([held, outside]);
    expect(order).toEqual(["inside", "outside"]);
    expect(await registry.counts(baseId)).toEqual({ materials: 2, units: 2 });
  });

  it("lets inner calls run one after the other", async () => {
    const { registry } = openTestRegistry({ sliceMs: 0 });
    await registry.create(baseId, { substring: false });
    await registry.runExclusive(baseId, async () => {
      const commits = ["a", "b", "c"].map((id) =>
        registry.commit(baseId, [
          revision(
            id,
            Array.from({ length: 40 }, (_, at) => `${id} ${at}`),
          ),
        ]),
      );
      await Promise.all([...commits, registry.remove(baseId, ["a"])]);
    });
    expect(await registry.check(baseId)).toMatchObject({ ok: true, units: 80 });
  });

  it("is not inherited by what a holder left running", async () => {
    const lock = createBaseLock();
    const order: string[] = [];
    let late: Promise<void> = Promise.resolve();
    await lock.run("b", async () => {
      late = turn().then(() => lock.run("b", async () => void order.push("late")));
    });
    const second = lock.run("b", async () => {
      await turn();
      await turn();
      order.push("second");
    });
    await Promise.all([late, second]);
    expect(order).toEqual(["second", "late"]);
  });

  it("is held until the inner calls that its holder did not wait for have ended", async () => {
    const lock = createBaseLock();
    const order: string[] = [];
    const failed = lock.run("b", async () => {
      const slow = lock.run("b", async () => {
        for (let turns = 0; turns < 3; turns++) await turn();
        order.push("inner");
      });
      await Promise.race([slow, Promise.reject(new Error("no"))]);
    });
    const next = lock.run("b", async () => void order.push("next"));
    await expect(failed).rejects.toThrow("no");
    await next;
    expect(order).toEqual(["inner", "next"]);
  });

  it("is another one for each base, and is free again after an error", async () => {
    const lock = createBaseLock();
    await lock.run("a", async () => {
      await lock.run("b", async () => undefined);
    });
    await expect(lock.run("a", () => Promise.reject(new Error("no")))).rejects.toThrow("no");
    expect(await lock.run("a", async () => 1)).toBe(1);
    await lock.settled("a");
  });

  it("tells others outside of the lock, so that they may wait for it", async () => {
    const test = openTestRegistry();
    const told: Promise<unknown>[] = [];
    const registry = test.reopen({
      onRecreated: (id) => void told.push(registry.commit(id, [revision("again", ["back in"])])),
    });
    expect(await registry.counts(baseId)).toEqual({ materials: 0, units: 0 });
    await Promise.all(told);
    expect(await registry.counts(baseId)).toEqual({ materials: 1, units: 1 });
  });
});

describe("materials", () => {
  it("are told in slices, all of them, with their content hash", async () => {
    const { registry } = openTestRegistry();
    await registry.create(baseId, { substring: false });
    const revisions = Array.from({ length: 600 }, (_, at) =>
      revision(`m${at}`, [`t${at}`], { vectors: false }),
    );
    await registry.commit(baseId, revisions);
    const seen = new Map<string, string | null>();
    let slices = 0;
    await registry.materials(baseId, (slice) => {
      slices++;
      for (const { materialId, contentHash } of slice) seen.set(materialId, contentHash);
    });
    expect(slices).toBeGreaterThan(1);
    expect(seen).toEqual(new Map(revisions.map((made) => [made.materialId, made.contentHash])));
  });
});
