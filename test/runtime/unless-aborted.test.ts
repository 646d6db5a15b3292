import { getEventListeners } from "node:events";
import { expect, it } from "vitest";
import { unlessAborted } from "../../daemon/runtime/unless-aborted.ts";

it("a wait ends with its promise or with its signal, whichever comes first, and leaves no listener", async () => {
  const controller = new AbortController();
  expect(await unlessAborted(Promise.resolve(1), controller.signal)).toBe(1);
  expect(await unlessAborted(Promise.resolve(2), undefined)).toBe(2);
  await expect(unlessAborted(Promise.reject(new Error("no")), controller.signal)).rejects.toThrow("no");
  const waiting = unlessAborted(new Promise(() => undefined), controller.signal);
  expect(getEventListeners(controller.signal, "abort")).toHaveLength(1);
  controller.abort(new Error("enough"));
  await expect(waiting).rejects.toThrow("enough");
  await expect(unlessAborted(Promise.resolve(3), controller.signal)).rejects.toThrow("enough");
  expect(getEventListeners(controller.signal, "abort")).toEqual([]);
});
