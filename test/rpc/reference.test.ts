import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { errorNames, errorTable } from "../../rpc/contract/errors.ts";
import { methodTable, type MethodName } from "../../rpc/contract/index.ts";
import { renderReference } from "../../rpc/reference.ts";

const page = readFileSync(fileURLToPath(new URL("../../rpc/README.md", import.meta.url)), "utf8");

describe("reference page", () => {
  it("says what the method table says (else: npm run reference)", () => {
    expect(page).toBe(renderReference());
  });

  it("lists each error of the code's table with its number", () => {
    for (const name of errorNames) expect(page).toContain(`| ${errorTable[name].code} | \`${name}\` |`);
  });

  it("gives no two errors the same number", () => {
    const codes = errorNames.map((name) => errorTable[name].code);
    expect(new Set(codes).size).toBe(codes.length);
  });

  it.each(Object.keys(methodTable) as MethodName[])("%s has an example that its own schema takes", (name) => {
    const { params, example } = methodTable[name];
    expect(params.safeParse(example).error).toBeUndefined();
  });
});
