import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { ReadFileInput, ReadOutcome } from "../../workers/contract.ts";
import { searchTextIdOf, sha256, unitIdOf } from "../../workers/ids.ts";
import { wellFormed } from "../../workers/parse/clean-text.ts";
import { markdownReader } from "../../workers/parse/markdown.ts";
import { parserName } from "../../workers/parse/registry.ts";
import { readFiles } from "../../workers/read-files.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { tinyPdf } from "../support/tiny-pdf.ts";

function inputFor(folder: string, name: string, key = 0, change: Partial<ReadFileInput> = {}): ReadFileInput {
  return {
    key,
    path: join(folder, name),
    root: folder,
    knownHash: null,
    knownParser: null,
    maxBytes: 50_000_000,
    materialId: `material-${key}`,
    relativePath: name,
    chunking: { chunkSize: 200, chunkOverlap: 40, strategy: "structured", separator: null, hard: false },
    snapshot: false,
    ...change,
  };
}

function written(files: Readonly<Record<string, string | Uint8Array>>): string {
  const folder = temporaryFolder();
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  return folder;
}

async function readOne(input: ReadFileInput): Promise<ReadOutcome> {
  const { outcomes } = await readFiles({ files: [input] });
  const [outcome] = outcomes;
  if (outcome === undefined) throw new Error("no outcome");
  return outcome;
}

describe("files.read", () => {
  it("K7.6 reading the same bytes again gives the same document, ids and hashes", async () => {
    const text = `# One\n\n${"Words of the first part. ".repeat(60)}\n\n## Two 请假\n\n${"More words. ".repeat(80)}\n`;
    const folder = written({ "a.md": text });
    const first = await readOne(inputFor(folder, "a.md"));
    expect(await readOne(inputFor(folder, "a.md"))).toEqual(first);
    if (first.kind !== "document") throw new Error(first.kind);
    const { document } = first;
    expect(first.byteHash).toBe(sha256(text));
    expect(document.contentHash).toBe(sha256(document.text));
    expect(document.units.length).toBeGreaterThan(2);
    for (const [index, unit] of document.units.entries()) {
      const body = document.text.slice(unit.charStart, unit.charEnd);
      expect(unit.unitIndex).toBe(index);
      expect(unit.textHash).toBe(sha256(body));
      expect(unit.unitId).toBe(
        unitIdOf({ materialId: "material-0", contentHash: document.contentHash, ...unit }),
      );
      expect(unit.searchTextId).toBe(searchTextIdOf(unit.unitId));
      expect(unit.title).toBe(unit.headings.at(-1));
    }
    expect(document.units.at(-1)).toMatchObject({ headings: ["One", "Two 请假"], locator: { lineEnd: 7 } });
    expect(document.units.at(-1)?.wordsTitle).toContain("One");
  });

  it("K11.1 bytes that are known already are not parsed", async () => {
    const folder = written({ "a.md": "# One" });
    const outcome = await readOne(inputFor(folder, "a.md", 4, { knownHash: sha256("# One") }));
    expect(outcome).toEqual({
      kind: "unchanged",
      key: 4,
      byteHash: sha256("# One"),
      stamp: expect.any(Object),
    });
  });

  it.each([
    [null, "unchanged"],
    [parserName(markdownReader), "unchanged"],
    ["markdown@0", "document"],
    // As a text file, before it was renamed.
    ["plain@1", "document"],
    ["gone@1", "document"],
  ])("K11.1 known bytes that %s read are %s", async (knownParser, kind) => {
    const folder = written({ "a.md": "# One" });
    expect(
      await readOne(inputFor(folder, "a.md", 0, { knownHash: sha256("# One"), knownParser })),
    ).toMatchObject({ kind });
  });

  it("P9 one bad file among others is its own outcome, with a reason, and stops none", async () => {
    const folder = written({
      "good.md": "# Good",
      "empty.md": "",
      "picture.png": Buffer.from("89504e470d0a1a0a0000000d49484452", "hex"),
      "locked.pdf": tinyPdf({ pages: [["x"]], locked: true }),
      "scan.pdf": tinyPdf({ pages: [[]] }),
      "rules.md": "fine",
      "large.txt": "x".repeat(2000),
    });
    mkdirSync(join(folder, "folder.md"));
    const names = [
      "good.md",
      "empty.md",
      "picture.png",
      "locked.pdf",
      "scan.pdf",
      "folder.md",
      "none.md",
      "large.txt",
      "rules.md",
    ];
    const { outcomes } = await readFiles({
      files: names.map((name, key) =>
        inputFor(folder, name, key, { maxBytes: name === "large.txt" ? 1000 : 1_000_000 }),
      ),
    });
    expect(outcomes.map((outcome) => (outcome.kind === "failed" ? outcome.failure : outcome.kind))).toEqual([
      "document",
      "empty",
      "unsupported",
      "needs_password",
      "no_text_layer",
      "not_regular",
      "gone",
      "too_large",
      "document",
    ]);
    expect(outcomes.map((outcome) => outcome.key)).toEqual(names.map((_, key) => key));
    for (const outcome of outcomes) {
      if (outcome.kind !== "failed") continue;
      expect(outcome.message).toMatch(/^[A-Z].{10,}\.$/);
      expect(outcome.permanent).toBe(outcome.failure !== "gone");
      const wasRead = !["gone", "not_regular", "too_large"].includes(outcome.failure);
      expect(outcome.byteHash === null).toBe(!wasRead);
      expect(outcome.stamp === null).toBe(outcome.failure === "gone");
    }
  });

  it.each([
    ["front matter", "---\ntitle: From the front\n---\n# Heading\n", "From the front"],
    ["first heading", "intro\n\n## Two\n\n# One\n", "One"],
    ["name", "no heading at all", "meeting notes"],
  ])("a title comes from the %s", async (_, text, title) => {
    const folder = written({ "meeting notes.md": text });
    expect(await readOne(inputFor(folder, "meeting notes.md"))).toMatchObject({ document: { title } });
  });

  it.each(["🐘.md", "°.md", "----.md", "#1 [draft].md", "new\nline.md", "dot..md", ".md"])(
    "a file may be named %j",
    async (name) => {
      const folder = written({ [name]: "text" });
      expect(await readOne(inputFor(folder, name))).toMatchObject({
        kind: "document",
        document: { text: "text" },
      });
    },
  );

  it("its output is plain data that a thread can hand over and SQLite can hold", async () => {
    const folder = written({
      "a.md": Buffer.concat([
        Buffer.from("---\nwhen: 2026-01-01\nn: {a: [1, ~]}\n---\ntext \0 "),
        Buffer.from([0xed, 0xa0, 0x80]),
        Buffer.from(" 公司的请假流程是什么需要提前多少天申请"),
      ]),
    });
    const outcome = await readOne(inputFor(folder, "a.md"));
    expect(structuredClone(outcome)).toEqual(outcome);
    expect(JSON.parse(JSON.stringify(outcome))).toEqual(outcome);
    if (outcome.kind !== "document") throw new Error(JSON.stringify(outcome));
    expect(wellFormed(outcome.document.text) === outcome.document.text).toBe(true);
    expect(outcome.document.text).not.toContain("\0");
  });

  it("an aborted signal ends the batch", async () => {
    const folder = written({ "a.md": "text" });
    await expect(readFiles({ files: [inputFor(folder, "a.md")] }, AbortSignal.abort())).rejects.toThrow(
      "abort",
    );
  });

  it.each([
    ["a single line of 10 MB", "a.txt", "x".repeat(10_000_000)],
    ["Markdown of 2 MB in one line", "a.md", "word ".repeat(400_000)],
    ["JSON of 2 MB in one line", "a.json", `[${"1,".repeat(1_000_000)}1]`],
    ["a CSV row of 1 MB", "a.csv", "a,".repeat(500_000)],
    ["fifty thousand rows", "a.csv", "a,b,c\n".repeat(50_000)],
    [
      "text of every byte but NUL",
      "a.txt",
      Buffer.from(Array.from({ length: 255 }, (_, index) => index + 1)),
    ],
  ])("P10 %s has an outcome", async (_, name, content) => {
    const folder = written({ [name]: content });
    expect(["document", "failed", "long"]).toContain((await readOne(inputFor(folder, name))).kind);
  });
});
