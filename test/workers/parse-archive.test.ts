import { strToU8, zipSync } from "fflate";
import { describe, expect, it } from "vitest";
import { type ArchiveLimits, openArchive } from "../../workers/parse/archive/zip.ts";
import { ReadProblem } from "../../workers/parse/reader.ts";
import { attribute, walkXml } from "../../workers/parse/xml/walk.ts";

const limits: ArchiveLimits = { entries: 20, entryBytes: 4_000_000, totalBytes: 6_000_000, ratio: 200 };
const words = "Words of a chapter. ".repeat(20);

/** Changes the figure at this offset of the entry's record in the archive's list. */
function withFigure(bytes: Uint8Array, name: string, offset: number, value: number): Uint8Array {
  const changed = Buffer.from(bytes);
  changed.writeUInt32LE(value, changed.lastIndexOf(name) - 46 + offset);
  return changed;
}

async function failure(doing: () => unknown): Promise<string> {
  try {
    await doing();
  } catch (error) {
    if (error instanceof ReadProblem) return `${error.failure}: ${error.message}`;
    throw error;
  }
  throw new Error("nothing failed");
}

/** "right" when every entry that is there has the words, else the reason why not. */
async function textsOrReason(bytes: Uint8Array): Promise<string> {
  try {
    const archive = await openArchive(bytes);
    const texts = await Promise.all(archive.names.map((name) => archive.text(name)));
    return texts.every((text) => text === words) ? "right" : "wrong";
  } catch (error) {
    if (error instanceof ReadProblem) return error.failure;
    throw error;
  }
}

describe("archives", () => {
  it("entries are listed without folders and unpacked when they are asked for", async () => {
    const bytes = zipSync({ "a/": new Uint8Array(), "a/b.xml": strToU8(words), "c.txt": strToU8("") });
    const archive = await openArchive(bytes);
    expect(archive.names).toEqual(["a/b.xml", "c.txt"]);
    expect(await archive.text("a/b.xml")).toBe(words);
    expect(await archive.text("c.txt")).toBe("");
    expect(archive.bytes("none")).toBeNull();
  });

  it("names are compared without regard to case where none is equal, and with either slash", async () => {
    const bytes = zipSync({
      "Word\\Document.xml": strToU8("upper"),
      "x.xml": strToU8("x"),
      "X.xml": strToU8("X"),
    });
    const archive = await openArchive(bytes);
    expect(await archive.text("word/document.xml")).toBe("upper");
    expect(await archive.text("X.xml")).toBe("X");
    expect(archive.has("WORD/DOCUMENT.XML")).toBe(true);
  });

  it("an archive behind other bytes, and one with a comment, are read", async () => {
    const bytes = zipSync({ "a.txt": strToU8(words) });
    expect(await (await openArchive(Buffer.concat([Buffer.alloc(700, 7), bytes]))).text("a.txt")).toBe(words);
    const commented = Buffer.concat([bytes, Buffer.from("a comment")]);
    commented.writeUInt16LE(9, bytes.length - 2);
    expect(await (await openArchive(commented)).text("a.txt")).toBe(words);
  });

  it("P10 a bomb is refused by its own figures, before it is unpacked", async () => {
    const archive = await openArchive(
      zipSync({ "zeros.xml": new Uint8Array(3_000_000), "large.xml": new Uint8Array(5_000_000) }),
      limits,
    );
    expect(await failure(() => archive.bytes("zeros.xml"))).toContain("too_complex");
    expect(await failure(() => archive.bytes("large.xml"))).toContain("too_complex");
  });

  it("P10 all entries together have a bound, and so has their number", async () => {
    const stored = (bytes: number) => [new Uint8Array(bytes), { level: 0 }] as [Uint8Array, { level: 0 }];
    const archive = await openArchive(zipSync({ a: stored(3_500_000), b: stored(3_500_000) }), limits);
    expect(archive.bytes("a")?.length).toBe(3_500_000);
    expect(await failure(() => archive.bytes("b"))).toContain("too_complex");
    const many = Object.fromEntries(Array.from({ length: 21 }, (_, at) => [`${at}.txt`, strToU8("x")]));
    expect(await failure(() => openArchive(zipSync(many), limits))).toContain("over 20 entries");
  });

  it("P10 lengths and checksums that lie are found, and no more is unpacked than is declared", async () => {
    const bytes = zipSync({ "a.xml": strToU8(words) });
    const read = async (changed: Uint8Array) => (await openArchive(changed)).bytes("a.xml");
    expect(await failure(() => read(withFigure(bytes, "a.xml", 24, 10)))).toContain(
      "longer than the archive says",
    );
    expect(await failure(() => read(withFigure(bytes, "a.xml", 24, 9999)))).toContain("not as long");
    expect(await failure(() => read(withFigure(bytes, "a.xml", 24, 0xfffffff0)))).toContain("too_complex");
    expect(await failure(() => read(withFigure(bytes, "a.xml", 16, 12345)))).toContain("not what was packed");
    expect(await failure(() => read(withFigure(bytes, "a.xml", 20, 0x7fffffff)))).toContain("cut off");
    expect(await failure(() => read(withFigure(bytes, "a.xml", 42, 77)))).toContain(
      "not where the archive says",
    );
  });

  it("an entry behind a password says so", async () => {
    const bytes = Buffer.from(zipSync({ "a.xml": strToU8(words) }));
    bytes[bytes.lastIndexOf("a.xml") - 46 + 8] = 1;
    const archive = await openArchive(bytes);
    expect(await failure(() => archive.bytes("a.xml"))).toContain("needs_password");
  });

  it("what is cut off anywhere is corrupt, and never anything else", async () => {
    const bytes = zipSync({ "a.xml": strToU8(words), "b.xml": strToU8(words) });
    for (let end = 0; end < bytes.length; end += 3)
      expect(await failure(() => openArchive(bytes.subarray(0, end)))).toContain("corrupt");
  });

  it("P9 any byte may be wrong: what is read is right or has a reason", async () => {
    const bytes = zipSync({ "a.xml": strToU8(words), "b.xml": strToU8(words) });
    for (let at = 0; at < bytes.length; at++) {
      const changed = Uint8Array.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ 0xa5;
      expect(await textsOrReason(changed)).toMatch(/^(?:right|corrupt|needs_password|too_complex)$/);
    }
  });
});

describe("XML", () => {
  async function namesOf(xml: string): Promise<{ names: string[]; text: string }> {
    const names: string[] = [];
    let text = "";
    await walkXml(xml, {
      open: (name, _, depth) => names.push(`${depth}${name}`),
      text: (piece) => (text += piece),
    });
    return { names, text };
  }

  it("names come without prefix and with their depth, text with its entities decoded", async () => {
    const { names, text } = await namesOf("<w:a><b/><![CDATA[<c>]]>&amp;&#233;</w:a>");
    expect(names).toEqual(["0a", "1b"]);
    expect(text).toBe("<c>&é");
    expect(attribute({ "w:val": "1", val: "2" }, "val")).toBe("2");
    expect(attribute({ "w:val": "1" }, "val")).toBe("1");
  });

  it("P10 entities of its own are not expanded", async () => {
    const laughs = `<!DOCTYPE a [<!ENTITY b "${"ha".repeat(50)}"><!ENTITY c "&b;&b;"><!ENTITY d SYSTEM "file:///etc/passwd">]>`;
    for (const entity of ["&b;", "&c;", "&d;"])
      expect(await failure(() => namesOf(`${laughs}<a>${entity}</a>`))).toContain("corrupt");
  });

  it("P10 nesting ends at a bound", async () => {
    expect(await failure(() => namesOf("<a>".repeat(1001)))).toContain("too_complex");
  });

  it("a mistake ends the walk behind what was visited; harmless ones do not", async () => {
    const visited: string[] = [];
    const broken = failure(() => walkXml("<a><b/></c>", { open: (name) => visited.push(name) }));
    expect(await broken).toContain("corrupt");
    expect(visited).toEqual(["a", "b"]);
    expect((await namesOf(`\n<?xml version="1.0"?><a>\u0001x]]>&#1;</a> junk`)).text).toContain("x");
  });

  it("P10 harmless mistakes end the walk when there is little else", async () => {
    for (const text of ["\u0001", "]]>", "&#1;"])
      expect(await failure(() => namesOf(`<a>${text.repeat(50_000)}</a>`))).toContain("corrupt");
  });
});
