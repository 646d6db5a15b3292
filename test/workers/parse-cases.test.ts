import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { ReadOutcome } from "../../workers/contract.ts";
import { parseTree, textContent } from "../../workers/parse/html/tree.ts";
import { readFiles } from "../../workers/read-files.ts";

const folder = fileURLToPath(new URL("../../../shared/cases", import.meta.url));
const missing = !existsSync(join(folder, "cases.tsv"));
if (missing) console.warn("The hard inputs of ../shared/cases are not here: their tests are skipped.");

function casesOf(group: string): [file: string, outcome: string][] {
  if (missing) return [];
  const rows = readFileSync(join(folder, "cases.tsv"), "utf8").split("\n").slice(1);
  return rows
    .map((row): [string, string] => [row.split("\t")[0] ?? "", row.split("\t")[1] ?? ""])
    .filter(([file]) => file.startsWith(`${group}/`));
}

async function read(file: string): Promise<ReadOutcome> {
  const { outcomes } = await readFiles({
    files: [
      {
        key: 0,
        path: join(folder, file),
        root: null,
        knownHash: null,
        knownParser: null,
        maxBytes: 50_000_000,
        materialId: "m",
        relativePath: file,
        chunking: {
          chunkSize: 1024,
          chunkOverlap: 200,
          strategy: "structured",
          separator: null,
          hard: false,
        },
        snapshot: false,
      },
    ],
  });
  const [outcome] = outcomes;
  if (outcome === undefined) throw new Error("no outcome");
  return outcome;
}

const words = (text: string): Set<string> => new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu));

describe.skipIf(missing)("hard inputs", () => {
  const pdfs = casesOf("pdf");
  it.each(pdfs.filter(([, expected]) => !expected.startsWith("indexed")))(
    "K4.5 %s: %s",
    async (file, failure) => {
      expect(await read(file)).toMatchObject({ kind: "failed", failure, permanent: true });
    },
  );

  it.each(pdfs.filter(([, expected]) => expected.startsWith("indexed")))("%s: %s", async (file, expected) => {
    const [, characters = "1", pages = "2"] = /about (\d+) characters on (\d+) page/.exec(expected) ?? [];
    const outcome = await read(file);
    if (outcome.kind !== "document") throw new Error(JSON.stringify(outcome));
    // Most of what that file draws are the dots of a table of contents, which are shortened.
    const least = file.endsWith("issue14847.pdf") ? 0.5 : 0.9;
    expect(outcome.document.text.length).toBeGreaterThan(Number(characters) * least);
    expect(outcome.document.metadata["pages"]).toBe(Number(pages));
  });

  it.each(casesOf("csv"))("%s: %s", async (file) => {
    expect(await read(file)).toMatchObject({ kind: "document", document: { format: "csv", warnings: [] } });
  });

  it.each(casesOf("text"))("%s: %s", async (file) => {
    expect(await read(file)).toMatchObject({ kind: "document" });
  });

  // Several sources share a name here and one of them is kept, so that any of the encodings listed for it will do.
  it.each(readable(casesOf("encodings")))("%s: decoded as one of %j", async (file, encodings) => {
    const outcome = await read(file);
    if (outcome.kind !== "document") throw new Error(JSON.stringify(outcome));
    const { encoding } = outcome.document.metadata as { encoding: string };
    const known = encodings.some((name) => family(encoding) === family(name.replace("decoded as ", "")));
    expect(known, `${encoding} is none of ${encodings.join(", ")}`).toBe(true);
    expect(outcome.document.text).not.toContain("\uFFFD");
  });

  it.each(missing ? [] : readdirSync(join(folder, "html")))(
    "html/%s: the article's text is there",
    async (name) => {
      const outcome = await read(`html/${name}/source.html`);
      if (outcome.kind !== "document") throw new Error(JSON.stringify(outcome));
      const expected = words(
        textContent(parseTree(readFileSync(join(folder, "html", name, "expected.html"), "utf8")).root),
      );
      const found = words(outcome.document.text);
      const share = [...expected].filter((word) => found.has(word)).length / expected.size;
      expect(share).toBeGreaterThan(0.95);
    },
  );

  it.each(missing ? [] : readdirSync(folder).filter((name) => !name.includes(".")))(
    "P9 no file makes a reader throw what it did not mean to: %s",
    async (group) => {
      for (const [file] of casesOf(group)) {
        const outcome = await read(file);
        expect([file, outcome.kind === "failed" ? outcome.failure : outcome.kind]).not.toEqual([
          file,
          "parser_error",
        ]);
      }
    },
  );
});

function readable(cases: [string, string][]): [string, string[]][] {
  const byFile = new Map<string, string[]>();
  for (const [file, outcome] of cases) byFile.set(file, [...(byFile.get(file) ?? []), outcome]);
  return [...byFile];
}

/** Names of one encoding, and of those that differ in a few signs of money. */
function family(name: string): string {
  const plain = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, "")
    .replace(/(hebrew|romanian|russian|sig)$/, "");
  return plain.startsWith("iso8859") ? "western" : plain;
}
