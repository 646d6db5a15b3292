import { describe, expect, it } from "vitest";
import { z } from "zod";
import { RpcError } from "../../rpc/client-errors.ts";
import { method } from "../../rpc/contract/define.ts";
import { methodTable } from "../../rpc/contract/index.ts";
import { limitedAnswer, limitedParams } from "../../rpc/mcp/base-limit.ts";
import { isDelete, toolsOf } from "../../rpc/mcp/tools.ts";

const mine = "3f0f7f4e-7d3b-4b43-9d7e-6e8f6f6e2a10";
const other = "7a1d2c3b-0000-4000-8000-000000000000";

describe("tools", () => {
  it("are the rows of the method table that say so, named with _ for the dot", () => {
    const marked = Object.entries(methodTable).filter(([, spec]) => spec.tool === true);
    expect([...toolsOf(methodTable).keys()]).toEqual(marked.map(([name]) => name.replace(".", "_")));
    expect([...toolsOf(methodTable).keys()]).toContain("kb_grep");
  });

  it("have schemas of objects that name no dialect, and answers that may grow", () => {
    for (const { inputSchema, outputSchema, name } of toolsOf(methodTable).values()) {
      expect(name).toMatch(/^[a-z_]+$/);
      expect(inputSchema).toMatchObject({ type: "object", additionalProperties: false });
      expect(outputSchema.type).toBe("object");
      // A client that checks by the dialect of draft 7 knows neither.
      expect(JSON.stringify([inputSchema, outputSchema])).not.toMatch(/\$schema|prefixItems/);
      expect(JSON.stringify(outputSchema)).not.toContain('additionalProperties":false');
    }
  });

  it("do not offer what only the socket can answer: a streamed grep", () => {
    expect(Object.keys(toolsOf(methodTable).get("kb_grep")?.inputSchema.properties ?? {})).not.toContain(
      "stream",
    );
  });

  it("answer fewer matches than a program gets, unless they are asked for more", () => {
    const grep = toolsOf(methodTable).get("kb_grep");
    expect(grep?.defaults).toEqual({ limit: 100 });
    expect(grep?.inputSchema.properties).toMatchObject({ limit: { default: 100 } });
  });

  it("say whether they change anything", () => {
    const spec = { params: z.strictObject({}), result: z.object({}), doc: "", example: {}, tool: true };
    const tools = toolsOf({
      "x.get": method(spec),
      "x.add": method({ ...spec, access: "write" }),
      "x.delete": method({ ...spec, access: "write" }),
    });
    expect([...tools.values()].map(({ annotations }) => annotations)).toEqual([
      { readOnlyHint: true, openWorldHint: false },
      { readOnlyHint: false, destructiveHint: false, openWorldHint: false },
      { readOnlyHint: false, destructiveHint: true, openWorldHint: false },
    ]);
    expect(isDelete("x.delete", {})).toBe(true);
    expect(isDelete("kb.manage", { action: "delete" })).toBe(true);
    expect(isDelete("kb.manage", { action: "add", onConflict: "replace" })).toBe(true);
    expect(isDelete("kb.manage", { action: "add", onConflict: "rename" })).toBe(false);
  });
});

describe("a limit to some bases", () => {
  const ids = new Set([mine]);
  const grep = methodTable["kb.grep"];
  const outOfScope = RpcError.ofTable("OUT_OF_SCOPE");

  it("stands in for all bases where none is named, and refuses the others", () => {
    expect(limitedParams(grep, { pattern: "x" }, ids)).toEqual({ pattern: "x", baseIds: [mine] });
    expect(limitedParams(grep, { baseIds: [mine] }, ids)).toEqual({ baseIds: [mine] });
    expect(() => limitedParams(grep, { baseIds: [mine, other] }, ids)).toThrow(outOfScope);
    expect(() => limitedParams(methodTable["kb.read"], { baseId: other }, ids)).toThrow(outOfScope);
    expect(() => limitedParams(methodTable["kb.read"], { baseId: [mine] }, ids)).toThrow(outOfScope);
  });

  it("has the base named for what is written, or names it where there is one", () => {
    const write = { ...methodTable["base.reindex"] };
    expect(limitedParams(write, {}, ids)).toEqual({ baseId: mine });
    expect(() => limitedParams(write, {}, new Set([mine, other]))).toThrow("must be named");
    expect(() => limitedParams(methodTable["item.delete"], { itemIds: [other] }, ids)).toThrow(
      "must be named",
    );
  });

  it("keeps what is of other bases out of an answer", () => {
    expect(() => limitedAnswer({ baseId: other, text: "x" }, ids)).toThrow(outOfScope);
    const items = [{ baseId: other }, { baseId: mine }, { id: 1 }];
    expect(limitedAnswer({ baseId: mine, items }, ids)).toEqual({
      baseId: mine,
      items: [{ baseId: mine }, { id: 1 }],
    });
  });
});
