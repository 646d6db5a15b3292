import { describe, expect, it } from "vitest";
import { parseDate } from "../../workers/words/parse-date.ts";

/** A Wednesday. */
const now = new Date(2026, 4, 13, 15, 30);

function day(year: number, month: number, date: number): number {
  return new Date(year, month - 1, date).getTime();
}

describe("a date", () => {
  it.each([
    ["2026", day(2026, 1, 1)],
    ["2026-3", day(2026, 3, 1)],
    ["2026/03/01", day(2026, 3, 1)],
    ["2026.03.01", day(2026, 3, 1)],
    ["2024-02-29", day(2024, 2, 29)],
    ["today", day(2026, 5, 13)],
    ["Yesterday", day(2026, 5, 12)],
    ["0d", day(2026, 5, 13)],
    ["7d", day(2026, 5, 6)],
    ["2w", day(2026, 4, 29)],
    ["3m", day(2026, 2, 13)],
    ["1y", day(2025, 5, 13)],
    ["this-week", day(2026, 5, 11)],
    ["last-week", day(2026, 5, 4)],
    ["this-month", day(2026, 5, 1)],
    ["last-month", day(2026, 4, 1)],
    ["this-year", day(2026, 1, 1)],
    ["last year", day(2025, 1, 1)],
    ["2026-03-01T00:00:00+02:00", Date.UTC(2026, 1, 28, 22)],
    ["2026-03-01T10:00", new Date(2026, 2, 1, 10).getTime()],
    ["2025-02-29", null],
    ["2026-02-30T00:00Z", null],
    ["2026-00", null],
    ["2026-1-32", null],
    ["26", null],
    ["0000", null],
    ["7 d", null],
    ["tomorrowish", null],
    ["", null],
  ])("%s", (value, expected) => {
    expect(parseDate(value, now)).toBe(expected);
  });

  it("three months before the end of May is the end of February", () => {
    expect(parseDate("3m", new Date(2026, 4, 31))).toBe(day(2026, 2, 28));
  });
});
