import { describe, expect, it } from "vitest";
import { failureOf, parseAs, textOfParts } from "../support/parse.ts";
import { chunkParts } from "../../workers/chunk/chunk.ts";

/** Nine levels of ten aliases each: a thousand million values. */
const aliasBomb = Array.from("abcdefghij")
  .map(
    (name, index, names) =>
      `${name}: &${name} [${
        index === 0
          ? "1"
          : Array(10)
              .fill(`*${names[index - 1]}`)
              .join(",")
      }]`,
  )
  .join("\n");

describe("which reader takes a file", () => {
  it.each([
    ["a.md", "# x", "markdown", "markdown"],
    ["a.MDX", "# x", "markdown", "markdown"],
    ["a.txt", "x", "plain", "text"],
    ["README", "x", "plain", "text"],
    [".gitconfig", "[user]", "plain", "text"],
    ["a.htm", "<p>x", "html", "html"],
    ["page", "<!DOCTYPE html><p>x", "html", "html"],
    ["saved.txt", "\n<html><p>x</p></html>", "html", "html"],
    ["a.csv", "a,b", "csv", "csv"],
    ["a.json", "{}", "json", "json"],
    ["a.jsonl", "{}", "json", "json"],
    ["a.yml", "a: b", "yaml", "yaml"],
    ["a.rs", "fn main() {}", "code", "code"],
    ["Makefile", "all:", "code", "code"],
    ["CMakeLists.txt", "project(x)", "code", "code"],
    ["script", "#!/usr/bin/env python3\nprint()", "code", "code"],
    ["toString", "x", "plain", "text"],
    ["about-pdf.txt", "A PDF begins with %PDF-1.4", "plain", "text"],
    ["page.pdf", "<!doctype html><p>not found", "plain", "text"],
  ])("%s is read as what it is", async (name, content, reader, format) => {
    const document = await parseAs(name, content);
    expect([document.parser.split("@")[0], document.format]).toEqual([reader, format]);
  });

  it.each([
    [
      "a.png",
      Buffer.from("89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489", "hex"),
      "unsupported",
      "image/png",
    ],
    ["a.txt", Buffer.from("504b03040a0000000000", "hex"), "unsupported", "application/zip"],
    [
      ".DS_Store",
      Buffer.from("0000000142756431000010000000080000001000", "hex"),
      "unsupported",
      "neither text",
    ],
    ["a.docx", Buffer.from("0001020304050607f0f1f2f3", "hex"), "corrupt", ".docx"],
    ["a.pdf", Buffer.from("00010203fffefd", "hex"), "corrupt", ".pdf"],
  ] as const)("%s of other bytes is refused as %s", async (name, bytes, failure, says) => {
    const problem = await failureOf(parseAs(name, bytes));
    expect(problem.failure).toBe(failure);
    expect(problem.message).toContain(says);
  });

  it.each([
    ["no bytes", ""],
    ["white space", " \n\t\r\n"],
    ["a byte order mark", "\uFEFF"],
  ])("K4.5 a file of %s is empty, with that as its reason", async (_, content) => {
    expect((await failureOf(parseAs("a.md", content))).failure).toBe("empty");
  });
});

describe("Markdown", () => {
  it("front matter gives title and metadata, and stays in the text", async () => {
    const text = "---\ntitle: The *plan*\ntags: [a, b]\n---\n\n# Heading\n\ntext\n";
    const document = await parseAs("a.md", text);
    expect(document).toMatchObject({
      title: "The *plan*",
      metadata: { encoding: "utf-8", frontMatter: { title: "The *plan*", tags: ["a", "b"] } },
      parts: [{ text, markup: "markdown", bodyStart: text.indexOf("\n# Heading") }],
      warnings: [],
    });
  });

  it.each([
    ["unclosed quotes", '---\ntitle: "open\n---\ntext'],
    ["an alias bomb", `---\n${aliasBomb}\n---\ntext`],
    ["a field that holds itself", "---\na: &x\n  b: *x\n---\ntext"],
    ["brackets without end", `---\n${"[".repeat(60_000)}\n---\ntext`],
    ["lists in lists", `---\n${"- ".repeat(20_000)}x\n---\ntext`],
    ["keys in keys", `---\n${"? ".repeat(20_000)}x\n---\ntext`],
  ])("front matter of %s is kept as text, with a warning", async (_, text) => {
    const document = await parseAs("a.md", text);
    expect(document.parts[0]).toMatchObject({ text, bodyStart: 0 });
    expect(document.warnings).toHaveLength(1);
    expect(document.metadata).toEqual({ encoding: "utf-8" });
  });

  it("front matter that names a language is text and is never run", async () => {
    const text = '---js\n{ title: (globalThis.wasRun = true, "x") }\n---\ntext';
    const document = await parseAs("a.md", text);
    expect(document).toMatchObject({ title: null, metadata: { encoding: "utf-8" }, warnings: [] });
    expect("wasRun" in globalThis).toBe(false);
  });

  it.each([
    ["is not closed", "---\ntitle: x\n\ntext"],
    ["is longer than its cap", `---\n${"a: b\n".repeat(20_000)}---\ntext`],
    ["is a list", "---\n- x\n---\ntext"],
    ["is a rule", "---\n\ntext\n\n---\n"],
  ])("front matter that %s is none", async (_, text) => {
    const document = await parseAs("a.md", text);
    expect(document).toMatchObject({ title: null, metadata: { encoding: "utf-8" } });
  });

  it("empty front matter is passed over", async () => {
    expect((await parseAs("a.md", "---\n---\n# T\n")).parts[0]?.bodyStart).toBe(8);
  });
});

describe("CSV", () => {
  it.each([
    ["commas", "name,city\nAnn,Bern\nBob,Köln\n", ","],
    ["semicolons", "name;city\nAnn;Bern\nBob;Köln\n", ";"],
    ["tabs", "name\tcity\nAnn\tBern\nBob\tKöln\n", "\t"],
    ["bars", "name|city\nAnn|Bern\nBob|Köln\n", "|"],
    ["a first line that names it", "sep=;\nname;city\nAnn;Bern\nBob;Köln\n", ";"],
    ["commas inside quotes", 'name;city\n"Ann";"Bern"\nBob;Köln\n', ";"],
  ])("the delimiter is found: %s", async (_, text, delimiter) => {
    const document = await parseAs("a.csv", text);
    expect(textOfParts(document)).toBe("| name | city |\n| --- | --- |\n| Ann | Bern |\n| Bob | Köln |");
    expect(document.metadata).toMatchObject({ delimiter, rows: 3, columns: ["name", "city"] });
  });

  it("K7.5 each group of rows stands under the column names and knows its rows and lines", async () => {
    const rows = Array.from({ length: 300 }, (_, index) => `item number ${index},"two\nlines ${index}"`);
    const text = `name,notes\n${rows.join("\n")}\n`;
    const document = await parseAs("a.csv", text);
    expect(document.parts.length).toBeGreaterThan(5);
    for (const part of document.parts)
      expect(part.text).toMatch(/^\| name \| notes \|\n\| --- \| --- \|\n\| item number/);
    expect(document.parts[0]?.locator?.range).toMatch(/^1:\d+$/);
    expect(document.parts.at(-1)?.locator?.range).toMatch(/^\d+:301$/);
    const { chunks, text: joined } = chunkParts(document.parts, {
      chunkSize: 1024,
      chunkOverlap: 200,
      strategy: "structured",
      separator: null,
      hard: false,
    });
    const lines = text.split("\n");
    for (const chunk of chunks) {
      const first = joined.slice(chunk.charStart, chunk.charEnd).split("\n")[2]?.split(" | ")[0]?.slice(2);
      expect(lines[(chunk.locator?.lineStart ?? 0) - 1]?.startsWith(`${first},`)).toBe(true);
    }
  });

  it("column names that would crowd the rows out are given once, and the text stays as large as the file", async () => {
    const row = (cell: (column: number) => string): string =>
      Array.from({ length: 500 }, (_, column) => cell(column)).join(",");
    const rows = Array.from({ length: 50 }, (_, index) => row((column) => String((index * column) % 10)));
    const text = `${row((column) => `name_of_column_${column}`)}\n${rows.join("\n")}\n`;
    const document = await parseAs("a.csv", text);
    expect(textOfParts(document).split("name_of_column_7 ")).toHaveLength(2);
    expect(textOfParts(document).length).toBeLessThan(3 * text.length);
    expect(document.parts.at(-1)?.locator?.range).toMatch(/:51$/);
    expect((document.metadata["columns"] as string[]).slice(0, 1)).toEqual(["name_of_column_0"]);
  });

  it("a first row of numbers is no header", async () => {
    expect((await parseAs("a.csv", "1,2\n3,4\n")).metadata).toMatchObject({ columns: null, rows: 2 });
  });

  it("an unterminated quote leaves the lines as they are, with a warning", async () => {
    const text = 'a,b\n"open,2\n3,4\n';
    const document = await parseAs("a.csv", text);
    expect(textOfParts(document)).toBe(text);
    expect(document.warnings).toHaveLength(1);
  });
});

describe("JSON, YAML and code", () => {
  it("JSON stays as it is; its title is its name for itself", async () => {
    const text = '{\n  "name": "tool",\n  "title": "The Tool"\n}\n';
    expect(await parseAs("a.json", text)).toMatchObject({
      title: "The Tool",
      parts: [{ text, markup: "code" }],
    });
  });

  it.each([
    ["a.json", "{ not json", 1],
    ["a.json", "[".repeat(2_000_000), 0],
    ["a.yaml", "a: [", 1],
    ["a.yaml", `${"- ".repeat(2000)}x`, 1],
    ["a.yaml", "a: b\n".repeat(50_000), 0],
    ["a.yaml", "run: !!js/function 'function () { throw new Error() }'", 0],
  ])("malformed or too deep %s is still text (%#)", async (name, text, warnings) => {
    const document = await parseAs(name, text);
    expect(textOfParts(document)).toBe(text);
    expect(document.warnings).toHaveLength(warnings);
  });

  it("several YAML documents in a file are read; the title is of a single one", async () => {
    expect(await parseAs("a.yaml", "title: One\n")).toMatchObject({ title: "One" });
    expect(await parseAs("a.yaml", "title: One\n---\ntitle: Two\n")).toMatchObject({
      title: null,
      warnings: [],
    });
  });

  it("source code keeps its name as title and knows its language", async () => {
    expect(await parseAs("src/main.rs", "fn main() {}\n")).toMatchObject({
      title: "main.rs",
      metadata: { language: "rust" },
      parts: [{ markup: "code" }],
    });
  });
});
