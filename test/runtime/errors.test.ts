import { expect, test } from "vitest";
import { invalidField, KnowdError, toKnowdError } from "../../daemon/runtime/errors.ts";

const ours = new KnowdError("BASE_NOT_FOUND", { baseId: "x" });

test.each([
  ["ours as it is", ours, "BASE_NOT_FOUND", { baseId: "x" }],
  ["an abort as CANCELLED", new DOMException("stop", "AbortError"), "CANCELLED", {}],
  ["a timeout as DEADLINE", new DOMException("late", "TimeoutError"), "DEADLINE", {}],
  ["an Error as INTERNAL with its message", new RangeError("odd"), "INTERNAL", { reason: "odd" }],
  ["anything else as INTERNAL", undefined, "INTERNAL", { reason: "undefined" }],
])("toKnowdError takes %s", (_title, thrown, name, data) => {
  const error = toKnowdError(thrown);
  expect([error.errorName, error.data]).toEqual([name, data]);
  expect(error.message).not.toBe("");
  expect(toKnowdError(error)).toBe(error);
});

test("a refused field says which and what is allowed", () => {
  const error = invalidField("limit", "1 to 100");
  expect(error.errorName).toBe("INVALID_FIELD");
  expect(error.message).toBe("limit: 1 to 100");
  expect(error.data).toEqual({ field: "limit", reason: "1 to 100" });
});
