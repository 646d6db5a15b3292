import { describe, expect, it } from "vitest";
import { nearest } from "../../config/nearest.ts";

describe("the nearest name", () => {
  it.each([
    ["ingest.thread", "ingest.threads"],
    ["INGEST.THREADS", "ingest.threads"],
    ["threads", "ingest.threads"],
    ["serch.deadlineMs", "search.deadlineMs"],
    ["zebra", null],
    [`ingest.threads${"x".repeat(100_000)}`, null],
  ])("of %s is %s", (name, expected) => {
    expect(nearest(name, ["ingest.threads", "search.deadlineMs", "log.level"])).toBe(expected);
  });
});
