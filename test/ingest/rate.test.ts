import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createRate } from "../../daemon/ingest/rate.ts";

describe("the rate of files", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["performance"] }));
  afterEach(() => void vi.useRealTimers());

  it("counts the window alone, whether or not anybody asked meanwhile", () => {
    const rate = createRate(5000);
    rate.add(10);
    vi.advanceTimersByTime(4000);
    rate.add(5);
    expect(rate.perSecond()).toBe(3);
    vi.advanceTimersByTime(2000);
    expect(rate.perSecond()).toBe(1);
    vi.advanceTimersByTime(60_000);
    rate.add(20);
    expect(rate.perSecond()).toBe(4);
  });
});
