import { describe, expect, it } from "vitest";
import { takeTurns } from "../../rpc/mcp/turns.ts";

/** Calls that end when they are told to, and the numbers of those that have begun. */
function held() {
  const begun: number[] = [];
  const ends = new Map<number, () => void>();
  const call = (n: number) => () =>
    new Promise<number>((resolve) => {
      begun.push(n);
      ends.set(n, () => resolve(n));
    });
  return { begun, call, end: (n: number) => ends.get(n)?.() };
}

describe("turns", () => {
  it("let so many calls run at once, and the others in the order of their coming", async () => {
    const turns = takeTurns(2);
    const { begun, call, end } = held();
    const results = [1, 2, 3, 4].map((n) => turns.run(undefined, call(n)));
    expect(begun).toEqual([1, 2]);
    end(2);
    await results[1];
    await Promise.resolve();
    expect(begun).toEqual([1, 2, 3]);
    end(1);
    end(3);
    await Promise.all([results[0], results[2]]);
    await Promise.resolve();
    end(4);
    expect(await Promise.all(results)).toEqual([1, 2, 3, 4]);
  });

  it("go on after a call that fails, and past one that was cancelled while it waited", async () => {
    const turns = takeTurns(1);
    const { begun, call, end } = held();
    const cancelled = new AbortController();
    const failing = turns.run(undefined, () => Promise.reject(new Error("no")));
    const waiting = turns.run(cancelled.signal, call(1));
    const last = turns.run(undefined, call(2));
    cancelled.abort(new Error("cancelled"));
    await expect(failing).rejects.toThrow("no");
    await expect(waiting).rejects.toThrow("cancelled");
    await Promise.resolve();
    expect(begun).toEqual([2]);
    end(2);
    expect(await last).toBe(2);
  });

  it("refuse what would wait behind hundreds of others", async () => {
    const turns = takeTurns(1);
    const { call } = held();
    for (let n = 0; n <= 256; n++) void turns.run(undefined, call(n));
    await expect(turns.run(undefined, call(257))).rejects.toMatchObject({ errorName: "OVERLOADED" });
  });
});
