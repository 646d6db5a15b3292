import { describe, expect, it } from "vitest";
import type { EmbeddedFile, Reader } from "../../workers/parse/reader.ts";
import { readers } from "../../workers/parse/registry.ts";
import { failureOf, parseAs, textOfParts } from "../support/parse.ts";

/** A format of files inside a file: what stands behind "box:" is its text, and `inside` is its content. */
function boxReader(inside: readonly EmbeddedFile[]): Reader {
  return {
    id: "box",
    version: 3,
    format: "box",
    name: "Test",
    extensions: [],
    library: "own",
    recognises: (probe) => probe.text?.text.startsWith("box:") ?? false,
    read: (input) => ({
      title: "The box",
      parts: [{ text: input.text?.text.slice(4) ?? "", markup: "plain", locator: null, lines: null }],
      metadata: {},
      warnings: [],
      children: inside,
    }),
  };
}

describe("files inside a file", () => {
  it("their parts follow under their names, and those that cannot be read are warned of", async () => {
    const inside = [
      { name: "notes.md", bytes: Buffer.from("# Notes") },
      { name: "photo.png", bytes: Buffer.from("89504e470d0a1a0a0000000d49484452", "hex") },
      { name: "empty.txt", bytes: Buffer.alloc(0) },
    ];
    const document = await parseAs("a.box", "box:cover", { readers: [boxReader(inside), ...readers] });
    expect(document).toMatchObject({ title: "The box", format: "box", parser: "box@3" });
    expect(textOfParts(document)).toBe("cover\n\n# Notes");
    expect(document.parts[1]).toMatchObject({ markup: "markdown", headings: ["notes.md"] });
    expect(document.warnings).toHaveLength(2);
    expect(document.warnings[0]).toContain("photo.png was left out: Files of type image/png");
  });

  it("a file that holds itself ends at a depth", async () => {
    const self = boxReader([{ name: "a.box", bytes: Buffer.from("box:again") }]);
    const document = await parseAs("a.box", "box:top", { readers: [self] });
    expect(document.parts.length).toBeLessThan(10);
    expect(document.warnings.at(-1)).toContain("too deep");
  });

  it("P9 one that does not fit beside the others is left out, the others are read", async () => {
    const inside = ["a", "b", "c"].map((letter) => ({
      name: `${letter}.txt`,
      bytes: Buffer.from(letter.repeat(letter === "b" ? 100 : 10)),
    }));
    const document = await parseAs("a.box", "box:cover", {
      readers: [boxReader(inside), ...readers],
      limits: { maxTextChars: 50, chunkTokens: 1024 },
    });
    expect(textOfParts(document)).toBe(["cover", "a".repeat(10), "c".repeat(10)].join("\n\n"));
    expect(document.warnings).toEqual([expect.stringContaining("b.txt was left out")]);
  });

  it("a name is one clean line wherever it came from", async () => {
    const inside = [
      { name: "two\nlines \ud800\0.txt", bytes: Buffer.from("a") },
      { name: " ", bytes: Buffer.from("b") },
    ];
    const document = await parseAs("a.box", "box:cover", { readers: [boxReader(inside), ...readers] });
    expect(document.parts.map(({ headings }) => headings)).toEqual([
      undefined,
      ["two lines \ufffd\ufffd.txt"],
      ["attachment"],
    ]);
  });

  it("text beyond the cap of one document is refused", async () => {
    const limits = { maxTextChars: 10, chunkTokens: 1024 };
    expect((await failureOf(parseAs("a.txt", "more than ten characters", { limits }))).failure).toBe(
      "too_complex",
    );
  });
});
