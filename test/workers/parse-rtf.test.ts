import { describe, expect, it } from "vitest";
import { failureOf, parseAs, textOfParts } from "../support/parse.ts";

const read = (content: string) => parseAs("note.rtf", Buffer.from(content, "latin1"));
const textOf = async (content: string) => textOfParts(await read(content));
const hex = (...bytes: number[]) => bytes.map((byte) => `\\'${byte.toString(16).padStart(2, "0")}`).join("");

describe("rich text", () => {
  it("characters are decoded by the code page of their font", async () => {
    const fonts = String.raw`{\fonttbl{\f0\fcharset0 Arial;}{\f1\fcharset204 Arial Cyr;}{\f2\fcharset128 MS Gothic{\*\falt x;};}{\f3\fcharset2 Symbol;}}`;
    const text = await textOf(
      String.raw`{\rtf1\ansi\ansicpg1252\deff0${fonts} ${hex(0x93)}Caf${hex(0xe9)}${hex(0x94)} \f1 ${hex(0xcc, 0xe8, 0xf0)} \f2 ${hex(0x83)}]${hex(0x83, 0x8b)}\f3 ${hex(0xb7)}}`,
    );
    expect(text).toBe("“Café” Мир ゾル•\n");
  });

  it("the code page of the file serves where fonts say nothing or all are called western", async () => {
    expect(await textOf(String.raw`{\rtf1\ansi\ansicpg932 ${hex(0x83, 0x5d, 0x83, 0x8b)}}`)).toBe("ゾル\n");
    const western = String.raw`{\fonttbl{\f0\fcharset0 Arial;}}`;
    expect(
      await textOf(String.raw`{\rtf1\ansi\ansicpg1251\deff0${western}\f0 ${hex(0xcc, 0xe8, 0xf0)}}`),
    ).toBe("Мир\n");
    expect(await textOf(String.raw`{\rtf1\pc ${hex(0x84)}}`)).toBe("ä\n");
  });

  it("Unicode characters take the place of what stands in for them", async () => {
    expect(
      await textOf(String.raw`{\rtf1\uc1 A\u24180?B\u-10179 ?\u-8704\'3f{\uc2\u24180\'94\'4eC}\u233 ?D}`),
    ).toBe("A年B😀年CéD\n");
    expect(await textOf(String.raw`{\rtf1{\upr{a?}{\*\ud{a\u24180?}}}b}`)).toBe("a年b\n");
  });

  it("hyphens, spaces, quotes and dashes are what a person sees", async () => {
    const source = String.raw`{\rtf1 soft\-ware well\_known a\~b \ldblquote q\rdblquote\emdash x\tab y\{z\}}`;
    expect(await textOf(source)).toBe("software well-known a b “q”—x y{z}\n");
  });

  it("headings are told by style and outline level, lists by the marks they show", async () => {
    const sheet = String.raw`{\stylesheet{\s0 Normal;}{\s1\outlinelevel0 heading 1;}{\s2 Überschrift 2;}}`;
    const text = await textOf(
      String.raw`{\rtf1${sheet}\pard\s1 Costs\par\pard\plain\s2 Travel\par\pard Paid.\par{\listtext 1.\tab}\pard\ls1 one\par{\listtext\'95\tab}\ilvl1 inner\par\pard end\par}`,
    );
    expect(text).toBe("# Costs\n\n## Travel\n\nPaid.\n\n1. one\n   - inner\n\nend\n");
  });

  it("tables are Markdown tables, also without the words that should open them", async () => {
    const row = (...cells: string[]) => String.raw`\trowd\pard\intbl ${cells.join("\\cell ")}\cell\row`;
    expect(await textOf(`{\\rtf1 before\\par${row("a", "b")}${row("1", "")}\\pard after\\par}`)).toBe(
      "before\n\n| a | b |\n| --- | --- |\n| 1 | |\n\nafter\n",
    );
    expect(await textOf(String.raw`{\rtf1\trowd a\cell b\cell\row\trowd c\cell d\cell\row}`)).toContain(
      "| c | d |",
    );
  });

  it("tables with an empty paragraph between them are two", async () => {
    const row = String.raw`\trowd\pard\intbl a\cell b\cell\row`;
    expect(await textOf(`{\\rtf1${row}\\pard\\par${row}}`)).toBe(
      "| a | b |\n| --- | --- |\n\n| a | b |\n| --- | --- |\n",
    );
  });

  it("headings and items have the numbers that are written with them; a sign in the place of a letter is a bullet", async () => {
    const source =
      String.raw`{\rtf1{\stylesheet{\s1 heading 1;}}{\listtext 3.2\tab}\s1 Safety\par\pard{\listtext\'a7\tab}square\par{\pntext v\tab}sign\par` +
      String.raw`{\listtext 4.\tab}four\par{\listtext (a)\tab}\ilvl1 letter\par}`;
    expect(await textOf(source)).toBe("# 3.2 Safety\n\n- square\n- sign\n\n4. four\n   - (a) letter\n");
  });

  it("letters of the font Symbol are the signs that it shows, those of other fonts of signs stay", async () => {
    const fonts = String.raw`{\fonttbl{\f0 Arial;}{\f1\fcharset2 Symbol;}{\f2\fcharset2 Wingdings;}}`;
    expect(await textOf(String.raw`{\rtf1${fonts} 5 {\f1 m}m {\f1\'a3} {\f2 J}}`)).toBe("5 μm ≤ J\n");
  });

  it("of a field its result is read, of a picture its description, of an object what it shows", async () => {
    const source = String.raw`{\rtf1{\field{\*\fldinst HYPERLINK "https://example.org"}{\fldrslt our page}} {\pict{\*\picprop{\sp{\sn wzDescription}{\sv A red bridge}}{\sp{\sn other}{\sv 7}}}0102ff}{\object{\*\objdata 0105}{\result shown}}}`;
    expect(await textOf(source)).toBe("our page A red bridge shown\n");
  });

  it("hidden, deleted and unknown text is left out", async () => {
    const source = String.raw`{\rtf1 seen{\v hidden}{\deleted gone}{\*\unknown noise{\b more}}\v out\plain  again{\*\generator Writer 1;}}`;
    expect(await textOf(source)).toBe("seen again\n");
  });

  it("headers, footers, notes, comments and text boxes are there once", async () => {
    const source =
      String.raw`{\rtf1{\info{\title Plan}{\author Ann}{\creatim\yr2026\mo3\dy4\hr5\min6}}{\header ACME\par}{\headerf ACME\par}{\footer Foot\par}` +
      String.raw`Text{\footnote\chftn  A note.} on{\*\atnid AL}{\*\atnauthor Ann Lee}\chatn{\*\annotation{\*\atndate 1}Right?}.\par ` +
      String.raw`{\shp{\*\shpinst{\sp{\sn x}{\sv 1}}{\shptxt In the box\par}}{\shprslt{\*\do\dptxbx{\dptxbxtext In the box\par}}}}end\par}`;
    const document = await read(source);
    expect(document).toMatchObject({
      format: "rtf",
      title: "Plan",
      metadata: { author: "Ann", created: "2026-03-04T05:06" },
      warnings: [],
    });
    expect(document.parts.map(({ text, headings }) => [headings, text])).toEqual([
      [[], "ACME\n\nText[1] on.\n\nend\n\nIn the box\n"],
      [["Notes"], "[1] A note.\n"],
      [["Comments"], "Comment by Ann Lee: Right?\n"],
      [["Footer"], "Foot\n"],
    ]);
  });
});

describe("broken and hostile rich text", () => {
  it("what is cut off is read up to there, with a warning", async () => {
    const document = await read(String.raw`{\rtf1 first\par {\b seco`);
    expect(textOfParts(document)).toBe("first\n\nseco\n");
    expect(document.warnings).toHaveLength(1);
  });

  it("K4.5 nothing to read is no text", async () => {
    expect((await failureOf(read(String.raw`{\rtf1\ansi{\pict 00ff}}`))).failure).toBe("no_text");
  });

  it("P10 groups end at a bound, and figures may be any", async () => {
    expect((await failureOf(read(`{\\rtf1 ${"{".repeat(100_000)}`))).failure).toBe("too_complex");
    expect(await textOf(`{\\rtf1 ${"{\\b ".repeat(4000)}core${"}".repeat(4000)}}`)).toBe("core\n");
    const odd = String.raw`{\rtf1\uc-7\f-3\fs99999999999999999999\ansicpg77777\u99999999 \'zz\s1e5 text\bin99999999999 x}`;
    expect(await textOf(odd)).toContain("text");
    expect(await textOf(`{\\rtf1 a}}}}} b {\\footnote ${"{\\footnote x".repeat(50)}`)).toContain("a");
  });
});
