import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { settingsTable } from "../config/reference.ts";
import { createProgram } from "../rpc/cli/program.ts";

const read = (file: string): string =>
  readFileSync(fileURLToPath(new URL(`../${file}`, import.meta.url)), "utf8");
const readme = read("README.md");

describe("README", () => {
  it("has the table of settings that the schema gives", () => {
    const [, table] = /<!-- settings -->\n(.*?)<!-- \/settings -->/s.exec(readme) ?? [];
    expect(table?.trim()).toBe(settingsTable().trim());
  });

  it("names every command there is, and none that is not", () => {
    const there = createProgram().commands.map((command) => command.name());
    const named = [...readme.matchAll(/`(?:knowd )?(\w+)[^`]*`/g)].map((match) => match[1]);
    expect(there.filter((verb) => !named.includes(verb))).toEqual([]);
    const asCommands = [...readme.matchAll(/(?:`|\$ |\$\(|npx )knowd ([a-z]+)/g)].map(
      (match) => match[1] ?? "",
    );
    const invented = asCommands.filter((verb) => !there.includes(verb) && verb !== "keys");
    expect([...new Set(invented)]).toEqual([]);
  });

  it("shows an editor a message whose Content-Length is its length", () => {
    const [, length, body] = /Content-Length: (\d+)\\r\\n\n\\r\\n\n(.*)\n/.exec(readme) ?? [];
    expect(Buffer.byteLength(body ?? "")).toBe(Number(length));
    expect(JSON.parse(body ?? "")).toMatchObject({ jsonrpc: "2.0", method: "search.query" });
  });
});
