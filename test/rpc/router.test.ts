import { describe, expect, it } from "vitest";
import { errorTable } from "../../rpc/contract/errors.ts";
import { createRouter } from "../../rpc/router.ts";
import type { IncomingCall } from "../../rpc/wire/endpoint.ts";
import { type Seen, smallHandlers, smallTable } from "./harness.ts";

interface Answer {
  readonly result?: unknown;
  readonly error?: { code: number; message: string; data?: Readonly<Record<string, unknown>> };
}

function open(checkResults = false) {
  const seen: Seen = { waiting: [], aborted: [], followers: [], internal: [], echoed: 0 };
  const router = createRouter({
    table: smallTable,
    handlers: smallHandlers(seen),
    checkResults,
    onInternalError: (error, method) => seen.internal.push({ error, method }),
  });
  const controller = new AbortController();
  const call: IncomingCall = {
    signal: controller.signal,
    peer: {
      id: 1,
      closed: new AbortController().signal,
      notify: () => undefined,
      notifyEncoded: () => undefined,
      drained: () => Promise.resolve(),
    },
  };
  const ask = async (method: string, params?: unknown) =>
    (await router.receive({ jsonrpc: "2.0", id: 1, method, params }, call)) as Answer;
  return { ask, seen, controller, router, call };
}

describe("the router", () => {
  it("fills in defaults and answers with the handler's result", async () => {
    const { ask } = open();
    expect(await ask("test.echo", { text: "ab" })).toEqual({ jsonrpc: "2.0", id: 1, result: { text: "ab" } });
    expect(await ask("test.echo", { text: "ab", repeat: 2 })).toMatchObject({ result: { text: "abab" } });
    expect(await ask("test.steps")).toMatchObject({ result: {} });
  });

  it.each([
    ["test.echo", {}, "text: is missing (string)", ["text"]],
    ["test.echo", { text: 7 }, "text: Invalid input: expected string, received number", ["text"]],
    ["test.echo", { txt: "a" }, 'txt: there is no such field; did you mean "text"?', ["txt"]],
    [
      "test.echo",
      { text: "a", colour: 1 },
      "colour: there is no such field; there are text, repeat",
      ["colour"],
    ],
    ["test.steps", { colour: 1 }, "colour: there is no such field; none is taken here", ["colour"]],
    ["test.echo", { text: "a", repeat: 11 }, "repeat: Too big", ["repeat"]],
    [
      "test.nested",
      { list: [{ name: "a" }, { nam: "b", name: "c" }] },
      'list[1].nam: there is no such field; did you mean "name"?',
      ["list", 1, "nam"],
    ],
    [
      "test.nested",
      { list: [{ name: "a", value: [] }] },
      "list[0].value: Invalid input: expected string, received array or Invalid input: expected number, received array",
      ["list", 0, "value"],
    ],
    [
      "test.echo",
      { text: "a", progressToken: {} },
      "progressToken: must be a number or a string",
      ["progressToken"],
    ],
  ])("%s %j is refused: %s", async (method, params, message, path) => {
    const { ask, seen } = open();
    const { error } = await ask(method, params);
    expect(error?.code).toBe(-32602);
    expect(error?.message).toContain(message);
    expect(error?.data?.["issues"]).toContainEqual({ path, message: expect.any(String) as string });
    expect(seen.echoed).toBe(0);
  });

  it("the sentence names three fields and counts the others; data has them all", async () => {
    const { ask } = open();
    const { error } = await ask("test.nested", { list: [7, 7, 7, 7, 7] });
    expect(error?.message).toMatch(/list\[2\].*and 2 more$/);
    expect(error?.data?.["issues"]).toHaveLength(5);
  });

  it("params by position are refused with a word about names", async () => {
    const { ask } = open();
    expect((await ask("test.echo", ["a"])).error).toMatchObject({
      code: -32602,
      message: expect.stringContaining("by name") as string,
      data: { issues: [] },
    });
  });

  it.each([
    ["test.ecko", "test.echo"],
    ["tset.echo", "test.echo"],
    ["x".repeat(1_000_000), undefined],
    ["toString", undefined],
    ["__proto__", undefined],
  ])("an unknown method names the nearest one, where one is near (%#)", async (method, expected) => {
    const { ask } = open();
    const { error } = await ask(method);
    expect(error?.code).toBe(-32601);
    expect(error?.message.length).toBeLessThan(200);
    expect(error?.data?.["nearest"]).toBe(expected);
  });

  it("an error of the table is answered with its code, its name, its hint and its data", async () => {
    const { ask, seen } = open();
    const { code, message, hint } = errorTable.BASE_NOT_FOUND;
    expect((await ask("test.throw", { kind: "table" })).error).toEqual({
      code,
      message,
      data: { name: "BASE_NOT_FOUND", hint, baseId: "b" },
    });
    expect((await ask("test.throw", { kind: "abort" })).error?.code).toBe(errorTable.CANCELLED.code);
    expect(seen.internal).toEqual([]);
  });

  it("anything else that is thrown is INTERNAL, and is reported with its cause", async () => {
    const { ask, seen } = open();
    expect((await ask("test.throw", { kind: "defect" })).error).toMatchObject({
      code: 1000,
      data: { name: "INTERNAL" },
    });
    expect(seen.internal).toHaveLength(1);
    expect(seen.internal[0]?.error.cause).toBeInstanceOf(TypeError);
  });

  it("a result that is not as the contract says is found when results are checked", async () => {
    const checked = open(true);
    expect((await checked.ask("test.wrong")).error).toMatchObject({
      code: 1000,
      data: { reason: expect.stringContaining("count") as string },
    });
    expect(checked.seen.internal).toHaveLength(1);
    expect(await open(false).ask("test.wrong")).toMatchObject({ result: { count: "three" } });
  });

  it("a call that was cancelled before it began does not run", async () => {
    const { ask, seen, controller } = open();
    controller.abort();
    expect((await ask("test.echo", { text: "a" })).error?.code).toBe(errorTable.CANCELLED.code);
    expect(seen.echoed).toBe(0);
  });

  it("a handler that ignores its signal is answered for, and what it throws late is still reported", async () => {
    let fail: ((error: Error) => void) | undefined;
    const reported: string[] = [];
    const router = createRouter({
      table: { "test.hurry": smallTable["test.hurry"] },
      handlers: {
        "test.hurry": () =>
          new Promise<never>((_resolve, reject) => {
            fail = reject;
          }),
      },
      onInternalError: ({ data }) => reported.push(String(data["reason"])),
    });
    const answer = (await router.receive(
      { jsonrpc: "2.0", id: 1, method: "test.hurry" },
      open().call,
    )) as Answer;
    expect(answer.error?.code).toBe(errorTable.DEADLINE.code);
    fail?.(new Error("late"));
    await new Promise((resolve) => setImmediate(resolve));
    expect(reported).toEqual(["late"]);
  });
});
