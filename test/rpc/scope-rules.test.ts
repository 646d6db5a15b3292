import { describe, expect, it } from "vitest";
import { z } from "zod";
import { emptyScope, mayCall, ownerScope, type Scope } from "../../daemon/runtime/scope.ts";
import { methodTable, type MethodName } from "../../rpc/contract/index.ts";

interface Schema {
  readonly properties?: Readonly<Record<string, unknown>>;
}

const names = Object.keys(methodTable) as MethodName[];
const fieldsOf = (name: MethodName): string[] =>
  Object.keys((z.toJSONSchema(methodTable[name].params, { io: "input" }) as Schema).properties ?? {});

/** What the gate looks at. */
const GATED = ["baseId", "baseIds", "itemId", "itemIds", "sourceId", "jobId"];
/** Names of something that is no base's: a model, or a passage, which is named with its item. */
const OF_NO_BASE = ["unitId", "conceptId", "groupId", "embeddingModelId", "rerankModelId", "fileProcessorId"];
const PATHS = ["path", "paths"];

const restricted = (write: boolean): Scope => ({
  kind: "restricted",
  write,
  isOwner: false,
  baseIds: ["one"],
  has: (id) => id === "one",
  grants: (id) => id === "one",
});

describe("K10.1 the scope rules of the method table", () => {
  it.each(names.filter((name) => methodTable[name].scope !== undefined))(
    "%s names what it is about in params that the gate looks at",
    (name) => {
      const fields = fieldsOf(name);
      const rule = methodTable[name].scope;
      const ids = fields.filter((field) => /Ids?$/.test(field) && !OF_NO_BASE.includes(field));
      expect(ids.filter((field) => !GATED.includes(field))).toEqual([]);
      expect(rule === "bases" && !fields.includes("baseIds")).toBe(false);
      expect(rule === "named" && ids.length === 0).toBe(false);
      expect(rule === "open" && ids.length > 0).toBe(false);
      // A path may lead into any base: only a method that looks at the scope itself may take one.
      const isByPath = fields.some((field) => PATHS.includes(field));
      expect(isByPath && rule !== "own" && name !== "item.add").toBe(false);
    },
  );

  it("a method whose row does not say how it is scoped is refused to a restricted session", () => {
    const unsaid = names.filter((name) => methodTable[name].scope === undefined);
    expect(unsaid).toEqual(
      expect.arrayContaining(["base.create", "base.update", "source.add", "system.doctor"]),
    );
    expect(unsaid.filter((name) => mayCall(methodTable[name], restricted(true)))).toEqual([]);
  });

  it("a session that may only read is offered nothing that writes, and no session what is the owner's", () => {
    const offered = (scope: Scope): MethodName[] => names.filter((name) => mayCall(methodTable[name], scope));
    const unrestricted = { ...ownerScope, isOwner: false };
    const accesses = (scope: Scope): Set<string> =>
      new Set(offered(scope).map((name) => methodTable[name].access));
    expect(accesses(restricted(false))).toEqual(new Set(["read"]));
    expect(accesses(restricted(true))).toEqual(new Set(["read", "write"]));
    expect(accesses(unrestricted)).toEqual(new Set(["read", "write"]));
    expect(accesses({ ...unrestricted, write: false })).toEqual(new Set(["read"]));
    expect(offered(ownerScope)).toEqual(names);
  });

  it("with scope none no tool is offered", () => {
    const offered = names.filter((name) => mayCall(methodTable[name], emptyScope));
    expect(offered.filter((name) => methodTable[name].tool)).toEqual([]);
    expect(offered.filter((name) => methodTable[name].scope !== "open")).toEqual([]);
  });
});
