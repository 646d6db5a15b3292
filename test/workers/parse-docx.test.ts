import { strToU8, zipSync } from "fflate";
import { describe, expect, it } from "vitest";
import { readDocx } from "../../workers/parse/docx/read-docx.ts";
import { docxReader } from "../../workers/parse/docx.ts";
import type { ReadInput } from "../../workers/parse/reader.ts";
import { failureOf, parseAs, textOfParts } from "../support/parse.ts";
import { docx, type DocxContent, paragraph } from "../support/word-files.ts";

const read = (content: DocxContent) => parseAs("report.docx", docx(content));
const textOf = async (content: DocxContent) => textOfParts(await read(content));

const styles =
  `<w:style w:type="paragraph" w:styleId="Berschrift1"><w:name w:val="heading 1"/></w:style>` +
  `<w:style w:type="paragraph" w:styleId="Clause"><w:name w:val="Clause"/><w:basedOn w:val="Outlined"/></w:style>` +
  `<w:style w:type="paragraph" w:styleId="Outlined"><w:name w:val="Outlined"/><w:pPr><w:outlineLvl w:val="1"/></w:pPr></w:style>` +
  `<w:style w:type="character" w:styleId="Secret"><w:name w:val="Secret"/><w:rPr><w:vanish/></w:rPr></w:style>`;
const numbering =
  `<w:abstractNum w:abstractNumId="7"><w:lvl w:ilvl="0"><w:numFmt w:val="decimal"/></w:lvl><w:lvl w:ilvl="1"><w:numFmt w:val="bullet"/></w:lvl></w:abstractNum>` +
  `<w:num w:numId="3"><w:abstractNumId w:val="7"/></w:num>`;
const item = (text: string, depth: number) =>
  paragraph(text, `<w:numPr><w:ilvl w:val="${depth}"/><w:numId w:val="3"/></w:numPr>`);
const cell = (content: string, properties = "") => `<w:tc><w:tcPr>${properties}</w:tcPr>${content}</w:tc>`;
const row = (...cells: string[]) => `<w:tr>${cells.join("")}</w:tr>`;
const textBox = (text: string) =>
  `<w:r><w:pict><v:shape xmlns:v="urn:schemas-microsoft-com:vml"><v:textbox><w:txbxContent>${paragraph(text)}</w:txbxContent></v:textbox></v:shape></w:pict></w:r>`;

describe("Word documents", () => {
  it("headings are told by the styles' names in any language, and by the outline levels that styles inherit", async () => {
    const body =
      paragraph("Costs", `<w:pStyle w:val="Berschrift1"/>`) +
      paragraph("Travel", `<w:pStyle w:val="Clause"/>`) +
      paragraph("Trains are paid.");
    const document = await read({ body, parts: { "styles.xml": styles } });
    expect(document.format).toBe("docx");
    expect(textOfParts(document)).toBe("# Costs\n\n## Travel\n\nTrains are paid.\n");
  });

  it("headings of styles that the file leaves out are told by their names", async () => {
    const body =
      paragraph("Costs", `<w:pStyle w:val="Heading2"/>`) + paragraph("Text", `<w:pStyle w:val="Other"/>`);
    expect(await textOf({ body })).toBe("## Costs\n\nText\n");
  });

  it("lists keep their marks and their depth", async () => {
    const body = item("first", 0) + item("inner", 1) + item("second", 0);
    expect(await textOf({ body, parts: { "numbering.xml": numbering } })).toBe(
      "1. first\n   - inner\n2. second\n",
    );
  });

  it("headings and items have the numbers that Word shows, however they are written and wherever a list goes on", async () => {
    const level = (depth: number, format: string, text: string, more = "") =>
      `<w:lvl w:ilvl="${depth}"><w:start w:val="1"/><w:numFmt w:val="${format}"/>${more}<w:lvlText w:val="${text}"/></w:lvl>`;
    const lists =
      `<w:abstractNum w:abstractNumId="1">${level(0, "decimal", "%1", `<w:pStyle w:val="Berschrift1"/>`)}${level(1, "decimal", "%1.%2", `<w:pStyle w:val="Clause"/>`)}</w:abstractNum>` +
      `<w:abstractNum w:abstractNumId="2">${level(0, "decimal", "%1.")}${level(1, "lowerLetter", "(%2)")}${level(2, "lowerRoman", "%1.%3")}</w:abstractNum>` +
      `<w:abstractNum w:abstractNumId="3">${level(0, "chineseCountingThousand", "第%1章")}</w:abstractNum>` +
      `<w:abstractNum w:abstractNumId="4"><w:styleLink w:val="Linked"/>${level(0, "upperRoman", "Article %1")}</w:abstractNum>` +
      `<w:abstractNum w:abstractNumId="5"><w:numStyleLink w:val="Linked"/></w:abstractNum>` +
      [1, 2, 3, 4, 5]
        .map((id) => `<w:num w:numId="${id}"><w:abstractNumId w:val="${id}"/></w:num>`)
        .join("") +
      `<w:num w:numId="6"><w:abstractNumId w:val="2"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="7"/></w:lvlOverride></w:num>`;
    const numbered = styles.replace(
      /(heading 1"\/>|Clause"\/>)/g,
      `$1<w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr>`,
    );
    const listed = (text: string, list: number, depth: number) =>
      paragraph(text, `<w:numPr><w:ilvl w:val="${depth}"/><w:numId w:val="${list}"/></w:numPr>`);
    const body =
      paragraph("Scope", `<w:pStyle w:val="Berschrift1"/>`) +
      paragraph("Works", `<w:pStyle w:val="Berschrift1"/>`) +
      paragraph("Tools", `<w:pStyle w:val="Clause"/>`) +
      paragraph("Safety", `<w:pStyle w:val="Clause"/>`) +
      paragraph("Unnumbered", `<w:pStyle w:val="Clause"/><w:numPr><w:numId w:val="0"/></w:numPr>`) +
      listed("first", 2, 0) +
      paragraph("Between.") +
      listed("second", 2, 0) +
      listed("letter", 2, 1) +
      listed("roman", 2, 2) +
      listed("again", 6, 0) +
      listed("chapter", 3, 0) +
      listed("linked", 5, 0);
    expect(await textOf({ body, parts: { "styles.xml": numbered, "numbering.xml": lists } })).toBe(
      "# 1 Scope\n\n# 2 Works\n\n## 2.1 Tools\n\n## 2.2 Safety\n\n## Unnumbered\n\n1. first\n\nBetween.\n\n" +
        "2. second\n   - (a) letter\n     - 2.i roman\n\n7. again\n\n- 第一章 chapter\n- Article I linked\n",
    );
  });

  it("tables are Markdown tables; merged cells leave their columns and rows empty", async () => {
    const body = `<w:tbl>${row(cell(paragraph("a"), `<w:gridSpan w:val="2"/>`), cell(paragraph("b")))}${row(
      cell(paragraph("1"), `<w:vMerge w:val="restart"/>`),
      cell(paragraph("2")),
      cell(paragraph("x|y")),
    )}${row(cell(paragraph(""), `<w:vMerge/>`), cell(paragraph("3")), cell(paragraph("4")))}</w:tbl>`;
    expect(await textOf({ body })).toBe("| a | | b |\n| --- | --- | --- |\n| 1 | 2 | x\\|y |\n| | 3 | 4 |\n");
  });

  it("a table that lays out the page is read as its paragraphs, headings and all", async () => {
    const long = paragraph("Ten years of work with customers. ".repeat(60));
    const body = `<w:tbl>${row(
      cell(paragraph("Profile", `<w:outlineLvl w:val="0"/>`) + long),
      cell(paragraph("Skills", `<w:outlineLvl w:val="0"/>`) + paragraph("Typing")),
    )}</w:tbl>`;
    const text = await textOf({ body });
    expect(text).toContain("# Profile\n\nTen years");
    expect(text).toContain("# Skills\n\nTyping\n");
    expect(text).not.toContain("|");
  });

  it("headers, footers, notes and comments are there once, each under a heading of its own", async () => {
    const body =
      `<w:p><w:r><w:t>See</w:t></w:r><w:r><w:footnoteReference w:id="5"/></w:r></w:p>` +
      `<w:p><w:r><w:t>End</w:t></w:r><w:r><w:endnoteReference w:id="2"/></w:r></w:p>`;
    const { parts } = await read({
      body,
      parts: {
        "header1.xml": paragraph("ACME Ltd"),
        "header2.xml": paragraph("ACME Ltd"),
        "footer1.xml": paragraph("Confidential"),
        "footnotes.xml": `<w:footnote w:id="5">${paragraph("A note.")}</w:footnote><w:footnote w:id="9">${paragraph("Lost.")}</w:footnote>`,
        "endnotes.xml": `<w:endnote w:id="2">${paragraph("A last note.")}</w:endnote>`,
        "comments.xml": `<w:comment w:id="1" w:author="Ann Lee">${paragraph("Is this right?")}</w:comment>`,
      },
    });
    expect(parts.map(({ text, headings }) => [headings, text])).toEqual([
      [[], "ACME Ltd\n\nSee[1]\n\nEnd[2]\n"],
      [["Notes"], "[1] A note.\n\n[2] A last note.\n"],
      [["Comments"], "Comment by Ann Lee: Is this right?\n"],
      [["Footer"], "Confidential\n"],
    ]);
  });

  it("text boxes, alternative texts, formulas and signs are read; each alternative form once", async () => {
    const body =
      `<w:p><w:r><w:t>Before</w:t></w:r>${textBox("In the box")}</w:p>` +
      `<w:p><mc:AlternateContent><mc:Choice Requires="wps"><w:r><w:txbxContent>${paragraph("Shape")}</w:txbxContent></w:r></mc:Choice>` +
      `<mc:Fallback>${textBox("Shape")}</mc:Fallback></mc:AlternateContent></w:p>` +
      `<w:p><w:r><w:drawing><wp:inline><wp:docPr id="1" name="Picture 1" descr="A red bridge"/></wp:inline></w:drawing></w:r></w:p>` +
      `<w:p><m:oMath xmlns:m="m"><m:r><m:t>E=mc</m:t></m:r></m:oMath></w:p>` +
      `<w:p><w:r><w:t>well</w:t><w:noBreakHyphen/><w:t>known soft</w:t><w:softHyphen/><w:t>ware</w:t></w:r></w:p>`;
    expect(await textOf({ body })).toBe(
      "Before\n\nIn the box\n\nShape\n\nA red bridge\n\nE=mc\n\nwell-known software\n",
    );
  });

  it("deleted and hidden text and field codes are not there, inserted text and field results are", async () => {
    const body =
      `<w:p><w:del><w:r><w:delText>old</w:delText><w:t>gone</w:t></w:r></w:del><w:ins><w:r><w:t>new</w:t></w:r></w:ins>` +
      `<w:r><w:rPr><w:vanish/></w:rPr><w:t>hidden</w:t></w:r><w:r><w:rPr><w:rStyle w:val="Secret"/></w:rPr><w:t>secret</w:t></w:r>` +
      `<w:r><w:instrText> PAGEREF _Toc1 </w:instrText></w:r><w:r><w:t> 12</w:t></w:r></w:p>`;
    expect(await textOf({ body, parts: { "styles.xml": styles } })).toBe("new 12\n");
  });

  it("a paragraph whose end was deleted goes on in the next one", async () => {
    const body =
      `<w:p><w:pPr><w:rPr><w:del/></w:rPr></w:pPr><w:r><w:t xml:space="preserve">One sentence </w:t></w:r></w:p>` +
      paragraph("in two.");
    expect(await textOf({ body })).toBe("One sentence in two.\n");
  });

  it("letters of the font Symbol are the signs that it shows", async () => {
    const sign = (char: string) => `<w:r><w:sym w:font="Symbol" w:char="${char}"/></w:r>`;
    const body = `<w:p><w:r><w:t>5 </w:t></w:r>${sign("F06D")}<w:r><w:t>m </w:t></w:r>${sign("F0A3")}${sign("F053")}</w:p>`;
    expect(await textOf({ body })).toBe("5 μm ≤Σ\n");
  });

  it("embedded documents are read with it, and what it says of itself is kept", async () => {
    const core = `<cp xmlns:dc="d"><dc:title>Budget 2027</dc:title><dc:creator>Ann</dc:creator><dc:language>de</dc:language></cp>`;
    const inner = docx({ body: paragraph("Inner words") });
    const document = await read({
      body: paragraph("Outer words"),
      entries: {
        "docProps/core.xml": strToU8(core),
        "word/embeddings/sheet.docx": inner,
        "word/_rels/document.xml.rels": strToU8(
          `<Relationships><Relationship Id="a" Type="x/package" Target="embeddings/sheet.docx"/></Relationships>`,
        ),
      },
    });
    expect(document).toMatchObject({
      title: "Budget 2027",
      metadata: { author: "Ann", language: "de" },
      warnings: [],
    });
    expect(document.parts.map(({ text }) => text)).toEqual(["Outer words\n", "Inner words\n"]);
    expect(document.parts[1]?.headings).toEqual(["sheet.docx"]);
  });

  it("a title that a program wrote is none", async () => {
    const core = strToU8(`<cp xmlns:dc="d"><dc:title>Microsoft Word - draft.doc</dc:title></cp>`);
    expect((await read({ body: paragraph("x"), entries: { "docProps/core.xml": core } })).title).toBeNull();
  });

  it("templates and documents with macros are told by their bytes, whatever they are called", async () => {
    const types = `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Override PartName="/word/document.xml" ContentType="application/vnd.ms-word.document.macroEnabled.main+xml"/></Types>`;
    const bytes = docx({
      body: paragraph("Macro words"),
      entries: { "[Content_Types].xml": strToU8(types) },
    });
    for (const name of ["a.docm", "a.dotx", "a.txt", "a"])
      expect(textOfParts(await parseAs(name, bytes))).toBe("Macro words\n");
  });
});

describe("broken and hostile Word documents", () => {
  it("K4.5 pictures alone, or nothing, are no text", async () => {
    expect(await failureOf(read({ body: paragraph(" ") }))).toMatchObject({ failure: "no_text" });
    const media = { "word/media/a.png": new Uint8Array(9) };
    const { message } = await failureOf(read({ body: "", entries: media }));
    expect(message).toContain("1 picture(s)");
  });

  it("a document that breaks off is read up to there, with a warning", async () => {
    const whole = paragraph("first") + paragraph("second");
    const document = await read({ body: `${whole}<w:p><w:r><w:t>thi</w:broken>` });
    expect(textOfParts(document)).toBe("first\n\nsecond\n\nthi\n");
    expect(document.warnings).toEqual([expect.stringContaining("was read up to there")]);
  });

  it("a damaged part costs that part and is named", async () => {
    const bytes = docx({ body: paragraph("Body"), parts: { "footer1.xml": paragraph("Foot ".repeat(50)) } });
    const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    // Right behind the local header's name stands the packed text.
    view.fill(0xff, view.indexOf("word/footer1.xml") + 20, view.indexOf("word/footer1.xml") + 40);
    const document = await parseAs("a.docx", bytes);
    expect(textOfParts(document)).toBe("Body\n");
    expect(document.warnings).toEqual([expect.stringContaining("word/footer1.xml could not be read")]);
  });

  it("P10 no entity is expanded and none is fetched", async () => {
    const laughs = `<!DOCTYPE d [<!ENTITY a "haha"><!ENTITY b "&a;&a;&a;"><!ENTITY x SYSTEM "file:///etc/hostname">]>`;
    for (const entity of ["&b;", "&x;"]) {
      const failed = await failureOf(read({ prolog: laughs, body: paragraph(entity) }));
      expect(failed.failure).toBe("corrupt");
    }
  });

  it("P10 nesting ends at a bound", async () => {
    const deep = (count: number) => `<w:sdt>`.repeat(count) + paragraph("core") + `</w:sdt>`.repeat(count);
    expect(await textOf({ body: deep(900) })).toBe("core\n");
    expect((await failureOf(read({ body: deep(1100) }))).failure).toBe("too_complex");
    const tables =
      "<w:tbl><w:tr><w:tc>".repeat(300) + paragraph("core") + "</w:tc></w:tr></w:tbl>".repeat(300);
    expect(await textOf({ body: tables })).toBe("core\n");
  });

  it("P10 of more paragraphs and cells than one document may have the first are read, and that is said", async () => {
    const rows = row(cell(paragraph("a")), cell(paragraph("b"))).repeat(40);
    const bounded = { ...docxReader, read: (input: ReadInput) => readDocx(input, 100) };
    const bytes = docx({ body: `${paragraph("before")}<w:tbl>${rows}</w:tbl>${paragraph("behind")}` });
    const document = await parseAs("a.docx", bytes, { readers: [bounded] });
    const text = textOfParts(document);
    expect(text).toContain("before\n\n| a | b |");
    expect(text).not.toContain("behind");
    expect(text.match(/a/g)?.length).toBeLessThan(40);
    expect(document.warnings).toEqual([expect.stringContaining("It is too large")]);
  });

  it("control characters that XML forbids are no reason to lose the rest", async () => {
    const text = await textOf({ body: paragraph("one\u0001two &#11; three") });
    expect(text).toContain("three");
  });

  it("an archive that holds no document, and a file that only has the name, are corrupt", async () => {
    const other = zipSync({ "readme.txt": strToU8("no document") });
    expect((await failureOf(parseAs("a.docx", other))).failure).toBe("corrupt");
    expect((await failureOf(parseAs("a.docx", docx({ body: "" }).subarray(0, 300)))).failure).toBe("corrupt");
  });
});
