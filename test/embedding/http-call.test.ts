import { getEventListeners } from "node:events";
import { expect, it } from "vitest";
import { withCall } from "../../daemon/embedding/http-call.ts";

it("a call that ends, or never begins, leaves no listener on the signals that it was given", async () => {
  const live = new AbortController().signal;
  const over = AbortSignal.abort(new Error("the daemon is stopping"));
  await expect(withCall("query", [live, over], () => Promise.resolve(1))).rejects.toThrow("is stopping");
  expect(await withCall("query", [live], () => Promise.resolve(1))).toBe(1);
  expect(getEventListeners(live, "abort")).toEqual([]);
});
