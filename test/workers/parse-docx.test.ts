import { strToU8, zipSync } from "fflate";
import { describe, expect, it } from "vitest";
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

  it("lists keep their marks and their depth", async () => {
    const body = item("first", 0) + item("inner", 1) + item("second", 0);
    expect(await textOf({ body, parts: { "numbering.xml": numbering } })).toBe(
      "1. first\n   - inner\n2. second\n",
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
