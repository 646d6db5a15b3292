import { describe, expect, it } from "vitest";
import { z } from "zod";
import { listSettings, type SettingSchema } from "../../config/settings-list.ts";
import { methodTable, type MethodName } from "../../rpc/contract/index.ts";

const id = "01932c07-4a3f-7b6e-9a52-0c5f0e9d7a11";
const accepts = (method: MethodName, params: unknown): boolean =>
  methodTable[method].params.safeParse(params).success;

describe("the bounds of what a caller may ask", () => {
  it.each([
    "base.list",
    "kb.list",
    "token.list",
    "item.list",
    "source.list",
    "job.list",
    "item.chunks",
  ] as const)("K4.4 %s gives 20 entries by default and 100 at most", (method) => {
    const target = {
      ...(method === "item.list" && { baseId: id }),
      ...(method === "item.chunks" && { itemId: id }),
    };
    expect(methodTable[method].params.parse(target)).toMatchObject({ limit: 20 });
    expect([0, 1, 100, 101].map((limit) => accepts(method, { ...target, limit }))).toEqual([
      false,
      true,
      true,
      false,
    ]);
  });

  it("K10.4 kb.read gives 50 matches by default and 200 at most, for a pattern of 1 to 200 characters", () => {
    expect(methodTable["kb.read"].params.parse({ itemId: id, pattern: "x" })).toMatchObject({
      limit: 50,
      caseSensitive: false,
    });
    expect([1, 200, 201].map((limit) => accepts("kb.read", { itemId: id, pattern: "x", limit }))).toEqual([
      true,
      true,
      false,
    ]);
    expect(
      [0, 1, 200, 201].map((length) => accepts("kb.read", { itemId: id, pattern: "x".repeat(length) })),
    ).toEqual([false, true, true, false]);
  });

  it.each(["search.query", "kb.grep", "kb.read", "item.chunks"] as const)(
    "K9.7 %s ends at the deadline that its caller or the configuration set, not at one of the table before it",
    (method) => {
      const setting = listSettings().find(({ key }) => key === "search.deadlineMs")?.schema;
      expect(methodTable[method].deadlineMs).toBeGreaterThan(setting?.maximum ?? Infinity);
      const params = z.toJSONSchema(methodTable[method].params, { io: "input" }) as SettingSchema;
      const asked = params.properties?.["deadlineMs"]?.maximum ?? 0;
      expect(methodTable[method].deadlineMs).toBeGreaterThan(asked);
    },
  );

  it.each(["source.add", "source.update"] as const)(
    "%s takes a cap of file sizes as large as the settings do, and no larger one",
    (method) => {
      const largest = listSettings().find(({ key }) => key === "ingest.maxFileBytes")?.schema.maximum ?? 0;
      const target = method === "source.add" ? { baseId: id, path: "/notes" } : { sourceId: id };
      const caps = [0, 1, largest, largest + 1, 1.5];
      expect(caps.map((maxFileBytes) => accepts(method, { ...target, maxFileBytes }))).toEqual([
        false,
        true,
        true,
        false,
        false,
      ]);
    },
  );

  it("K9.1 a search takes no mode and no alpha: what a base has decides", () => {
    expect(accepts("search.query", { query: "x" })).toBe(true);
    for (const knob of ["mode", "alpha", "weight"])
      expect(accepts("search.query", { query: "x", [knob]: 0.5 })).toBe(false);
  });

  it.each([
    [{ name: " \t " }, false],
    [{ name: " a " }, true],
    [{ name: "a", chunkStrategy: "lines" }, false],
    [{ name: "a", chunkStrategy: "delimiter", chunkSeparator: "" }, false],
    [{ name: "a", threshold: 1.1 }, false],
    [{ name: "a", threshold: null }, true],
    [{ name: "a", documentCount: 0 }, false],
    [{ name: "a", documentCount: null }, true],
    [{ name: "a", dimensions: 5 }, false],
  ])("K3.1 base.create with %o is accepted: %s", (params, accepted) => {
    expect(accepts("base.create", params)).toBe(accepted);
  });

  it("K3.1 a name is stored trimmed", () => {
    expect(methodTable["base.create"].params.parse({ name: "  notes " })).toMatchObject({ name: "notes" });
  });
});
