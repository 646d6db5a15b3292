import { strToU8, zipSync } from "fflate";
import { describe, expect, it } from "vitest";
import { failureOf, parseAs, textOfParts } from "../support/parse.ts";

const NS =
  'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"';
const TYPE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";

const paragraph = (text: string, properties = ""): string =>
  `<a:p>${properties === "" ? "" : `<a:pPr ${properties}`}<a:r><a:t>${text}</a:t></a:r></a:p>`;
const body = (...paragraphs: string[]): string =>
  `<p:txBody><a:bodyPr/><a:lstStyle/>${paragraphs.join("")}</p:txBody>`;
const place = (x: number, y: number, width = 20, height = 10): string =>
  `<a:xfrm><a:off x="${x}" y="${y}"/><a:ext cx="${width}" cy="${height}"/></a:xfrm>`;

interface ShapeParts {
  readonly placeholder?: string;
  readonly at?: readonly [number, number];
  readonly description?: string;
}
const shape = (text: string, { placeholder, at, description }: ShapeParts = {}): string =>
  `<p:sp><p:nvSpPr><p:cNvPr id="2" name="x"${description === undefined ? "" : ` descr="${description}"`}/><p:cNvSpPr/><p:nvPr>${placeholder === undefined ? "" : `<p:ph ${placeholder}/>`}</p:nvPr></p:nvSpPr><p:spPr>${at === undefined ? "" : place(...at)}</p:spPr>${text}</p:sp>`;
const title = (text: string): string => shape(body(paragraph(text)), { placeholder: 'type="title"' });
const box = (text: string, at?: readonly [number, number]): string =>
  shape(body(paragraph(text)), at === undefined ? {} : { at });
const sheet = (shapes: string, root = "p:sld", attributes = ""): string =>
  `<${root} ${NS} ${attributes}><p:cSld><p:spTree><p:nvGrpSpPr/><p:grpSpPr/>${shapes}</p:spTree></p:cSld></${root}>`;
const links = (...targets: (readonly [kind: string, target: string])[]): string =>
  `<Relationships>${targets.map(([kind, target], index) => `<Relationship Id="r${index + 1}" Type="${TYPE}/${kind}" Target="${target}"/>`).join("")}</Relationships>`;

/** A package with these slides, in this order, and other parts. */
function deck(slides: readonly string[], parts: Readonly<Record<string, string>> = {}): Uint8Array {
  const files: Record<string, string> = {
    "[Content_Types].xml":
      '<Types><Override PartName="/ppt/presentation.xml" ContentType="application/vnd.openxmlformats-officedocument.presentationml.presentation.main+xml"/></Types>',
    "_rels/.rels": links(["officeDocument", "ppt/presentation.xml"]),
    "ppt/presentation.xml": `<p:presentation ${NS}><p:sldIdLst>${slides.map((_, index) => `<p:sldId id="${256 + index}" r:id="r${index + 1}"/>`).join("")}</p:sldIdLst></p:presentation>`,
    "ppt/_rels/presentation.xml.rels": links(
      ...slides.map((_, index) => ["slide", `slides/slide${index + 1}.xml`] as const),
    ),
  };
  for (const [index, slide] of slides.entries()) files[`ppt/slides/slide${index + 1}.xml`] = slide;
  return pack({ ...files, ...parts });
}

function pack(files: Readonly<Record<string, string>>): Uint8Array {
  // Stored: what repeats a text is a bomb when it is packed.
  return zipSync(Object.fromEntries(Object.entries(files).map(([name, text]) => [name, strToU8(text)])), {
    level: 0,
  });
}

describe("PowerPoint presentations", () => {
  it("K7.5 each slide is a part with its number; title, lists with their levels and numbers are kept", async () => {
    const list = shape(
      body(
        paragraph("Alpha", "><a:buChar char='•'/></a:pPr>"),
        paragraph("Beta", "lvl='1'><a:buChar char='•'/></a:pPr>"),
        paragraph("One", "><a:buAutoNum type='arabicPeriod'/></a:pPr>"),
        paragraph("Two", "><a:buAutoNum type='arabicPeriod'/></a:pPr>"),
        paragraph("# no heading", "><a:buNone/></a:pPr>"),
      ),
      { placeholder: 'idx="1"' },
    );
    const document = await parseAs("a.pptx", deck([sheet(title("Hello") + list), sheet(title("Again"))]));
    expect(document).toMatchObject({ format: "pptx", parser: "pptx@1", title: "Hello", warnings: [] });
    expect(document.metadata).toMatchObject({ slides: 2 });
    expect(document.parts.map(({ locator, text }) => [locator, text])).toEqual([
      [{ slide: 1 }, "# Hello\n\n- Alpha\n  - Beta\n1. One\n2. Two\n\n\\# no heading\n"],
      [{ slide: 2 }, "# Again\n"],
    ]);
  });

  it("slides stand in the order of the deck, not of their files, and sections above them", async () => {
    const section = (name: string, id: number): string =>
      `<p14:section name="${name}"><p14:sldIdLst><p14:sldId id="${id}"/></p14:sldIdLst></p14:section>`;
    const bytes = deck([sheet(title("A")), sheet(title("B"))], {
      "ppt/presentation.xml": `<p:presentation ${NS}><p:sldIdLst><p:sldId id="257" r:id="r2"/><p:sldId id="256" r:id="r1"/></p:sldIdLst><p:extLst>${section("Opening", 257)}${section("Default Section", 256)}</p:extLst></p:presentation>`,
    });
    const { parts } = await parseAs("a.pptx", bytes);
    expect(parts.map(({ text, headings }) => [text, headings])).toEqual([
      ["# B\n", ["Opening"]],
      ["# A\n", []],
    ]);
  });

  it("shapes are read as a person reads them: row by row, groups kept together, columns where there are no rows", async () => {
    const group = `<p:grpSp><p:nvGrpSpPr/><p:grpSpPr>${place(0, 100, 100, 40)}</p:grpSpPr>${box("third", [0, 0])}${box("fourth", [0, 20])}</p:grpSp>`;
    const rows = box("fifth", [0, 200]) + box("second", [50, 0]) + box("first", [0, 0]) + group;
    const columns =
      box("left top", [0, 0]) +
      box("right top", [50, 5]) +
      box("left low", [0, 8]) +
      box("right low", [50, 13]);
    const { parts } = await parseAs("a.pptx", deck([sheet(rows), sheet(columns)]));
    expect(parts.map(({ text }) => text.trim().split("\n\n"))).toEqual([
      ["first", "second", "third", "fourth", "fifth"],
      ["left top", "left low", "right top", "right low"],
    ]);
  });

  it("places and bullets that only the layout gives are used", async () => {
    const layout = sheet(
      `${shape("", { placeholder: 'type="body" idx="1"', at: [0, 100] })}<p:sp><p:nvSpPr><p:nvPr><p:ph type="body" idx="2"/></p:nvPr></p:nvSpPr><p:spPr>${place(0, 0)}</p:spPr><p:txBody><a:lstStyle><a:lvl1pPr><a:buChar char="-"/></a:lvl1pPr></a:lstStyle></p:txBody></p:sp>`,
      "p:sldLayout",
    );
    const slide = sheet(
      shape(body(paragraph("below")), { placeholder: 'type="body" idx="1"' }) +
        shape(body(paragraph("above")), { placeholder: 'type="body" idx="2"' }),
    );
    const bytes = deck([slide], {
      "ppt/slides/_rels/slide1.xml.rels": links(["slideLayout", "../slideLayouts/slideLayout1.xml"]),
      "ppt/slideLayouts/slideLayout1.xml": layout,
    });
    expect(textOfParts(await parseAs("a.pptx", bytes))).toBe("- above\n\nbelow\n");
  });

  it("tables become Markdown, bars in their cells escaped", async () => {
    const cell = (text: string): string => `<a:tc><a:txBody>${paragraph(text)}</a:txBody></a:tc>`;
    const frame = `<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr descr="Stock"/></p:nvGraphicFramePr><p:xfrm/><a:graphic><a:graphicData><a:tbl><a:tr>${cell("Name")}${cell("Qty")}</a:tr><a:tr>${cell("a|b")}${cell("2")}</a:tr></a:tbl></a:graphicData></a:graphic></p:graphicFrame>`;
    expect(textOfParts(await parseAs("a.pptx", deck([sheet(frame)])))).toBe(
      "[Stock]\n\n| Name | Qty |\n| --- | --- |\n| a\\|b | 2 |\n",
    );
  });

  it("charts give their titles and figures, diagrams their texts as a list", async () => {
    const points = (...values: string[]): string =>
      values.map((value, index) => `<c:pt idx="${index}"><c:v>${value}</c:v></c:pt>`).join("");
    const chart = `<c:chartSpace><c:chart><c:title><c:tx><c:rich><a:p><a:r><a:t>Sales</a:t></a:r></a:p></c:rich></c:tx></c:title><c:plotArea><c:barChart><c:ser><c:tx><c:strRef><c:strCache>${points("2025")}</c:strCache></c:strRef></c:tx><c:cat><c:strRef><c:strCache>${points("East", "West")}</c:strCache></c:strRef></c:cat><c:val><c:numRef><c:numCache><c:formatCode>General</c:formatCode>${points("4.2999999999999998", "2")}</c:numCache></c:numRef></c:val></c:ser></c:barChart></c:plotArea></c:chart></c:chartSpace>`;
    const point = (id: number, text: string): string =>
      `<dgm:pt modelId="${id}"><dgm:t><a:p><a:r><a:t>${text}</a:t></a:r></a:p></dgm:t></dgm:pt>`;
    const link = (from: number, to: number, order: number): string =>
      `<dgm:cxn srcId="${from}" destId="${to}" srcOrd="${order}"/>`;
    const diagram = `<dgm:dataModel><dgm:ptLst><dgm:pt modelId="1" type="doc"/>${point(2, "Second")}${point(3, "First")}${point(4, "Below")}</dgm:ptLst><dgm:cxnLst>${link(1, 2, 1)}${link(1, 3, 0)}${link(3, 4, 0)}${link(4, 3, 0)}</dgm:cxnLst></dgm:dataModel>`;
    const frame = (inner: string): string =>
      `<p:graphicFrame><a:graphic><a:graphicData>${inner}</a:graphicData></a:graphic></p:graphicFrame>`;
    const bytes = deck([sheet(frame('<c:chart r:id="r1"/>') + frame('<dgm:relIds r:dm="r2"/>'))], {
      "ppt/slides/_rels/slide1.xml.rels": links(
        ["chart", "/ppt/charts/chart1.xml"],
        ["diagramData", "../diagrams/data1.xml"],
      ),
      "ppt/charts/chart1.xml": chart,
      "ppt/diagrams/data1.xml": diagram,
    });
    expect(textOfParts(await parseAs("a.pptx", bytes))).toBe(
      "Sales\n\n| | 2025 |\n| --- | --- |\n| East | 4.3 |\n| West | 2 |\n\n- First\n  - Below\n- Second\n",
    );
  });

  it("pictures give their alternative text, unless it is a file's name", async () => {
    const picture = (description: string): string =>
      `<p:pic><p:nvPicPr><p:cNvPr descr="${description}"/></p:nvPicPr></p:pic>`;
    const slide = sheet(
      picture("Tower of Pisa&#10;Description automatically generated") + picture("image1.png"),
    );
    expect(textOfParts(await parseAs("a.pptx", deck([slide])))).toBe("[Picture: Tower of Pisa]\n");
  });

  it("notes, comments and hidden slides are marked", async () => {
    const notes = sheet(
      shape("", { placeholder: 'type="sldImg"' }) +
        shape(body(paragraph("Say hello")), { placeholder: 'type="body" idx="1"' }) +
        shape(body(paragraph("7")), { placeholder: 'type="sldNum"' }),
      "p:notes",
    );
    const bytes = deck([sheet(title("Secret"), "p:sld", 'show="0"')], {
      "ppt/slides/_rels/slide1.xml.rels": links(
        ["notesSlide", "../notesSlides/notesSlide1.xml"],
        ["comments", "../comments/comment1.xml"],
      ),
      "ppt/notesSlides/notesSlide1.xml": notes,
      "ppt/comments/comment1.xml":
        '<p:cmLst><p:cm authorId="0"><p:text>Is this so?</p:text></p:cm></p:cmLst>',
      "ppt/commentAuthors.xml": '<p:cmAuthorLst><p:cmAuthor id="0" name="Ada"/></p:cmAuthorLst>',
    });
    const document = await parseAs("a.pptx", bytes);
    expect(textOfParts(document)).toBe(
      "# Secret\n\n(hidden slide)\n\nComment by Ada: Is this so?\n\n## Notes\n\nSay hello\n",
    );
    expect(document.metadata).toMatchObject({ hiddenSlides: [1] });
  });

  it("footers and texts of the master are given once, slide numbers never", async () => {
    const footer = shape(body(paragraph("ACME 2026")), { placeholder: 'type="ftr" idx="10"' });
    const number = shape(`<p:txBody><a:p><a:fld type="slidenum"><a:t>3</a:t></a:fld></a:p></p:txBody>`);
    const withLayout = links(["slideLayout", "../slideLayouts/slideLayout1.xml"]);
    const bytes = deck([sheet(title("A") + footer + number), sheet(title("B") + footer + number)], {
      "ppt/slides/_rels/slide1.xml.rels": withLayout,
      "ppt/slides/_rels/slide2.xml.rels": withLayout,
      "ppt/slideLayouts/slideLayout1.xml": sheet(title("Click to add") + box("Confidential"), "p:sldLayout"),
    });
    const { parts } = await parseAs("a.pptx", bytes);
    expect(parts.map(({ text }) => text)).toEqual(["# A\n\nACME 2026\n\nConfidential\n", "# B\n"]);
  });

  it("what the file says of itself becomes metadata; a title that a program made up is none", async () => {
    const bytes = deck([sheet(box("text"))], {
      "docProps/core.xml":
        "<cp:coreProperties><dc:title>PowerPoint Presentation</dc:title><dc:creator>Ada</dc:creator><dcterms:created>2026-01-02T03:04:05Z</dcterms:created></cp:coreProperties>",
    });
    expect(await parseAs("a.pptx", bytes)).toMatchObject({
      title: null,
      metadata: { author: "Ada", created: "2026-01-02T03:04:05Z", slides: 1 },
    });
  });

  it.each([
    "application/vnd.openxmlformats-officedocument.presentationml.presentation.main+xml",
    "application/vnd.openxmlformats-officedocument.presentationml.slideshow.main+xml",
    "application/vnd.openxmlformats-officedocument.presentationml.template.main+xml",
    "application/vnd.ms-powerpoint.presentation.macroEnabled.main+xml",
    "application/vnd.ms-powerpoint.slideshow.macroEnabled.main+xml",
    "application/vnd.ms-powerpoint.template.macroEnabled.main+xml",
  ])("shows, templates and files with macros are read too, whatever their name: %s", async (type) => {
    const types = `<Types><Override PartName="/ppt/presentation.xml" ContentType="${type}"/></Types>`;
    expect((await parseAs("a.bin", deck([sheet(title("A"))], { "[Content_Types].xml": types }))).parser).toBe(
      "pptx@1",
    );
  });

  it("of several forms of one shape one is read", async () => {
    const forms = `<mc:AlternateContent><mc:Choice>${box("new")}</mc:Choice><mc:Fallback>${box("old")}</mc:Fallback></mc:AlternateContent>`;
    expect(textOfParts(await parseAs("a.pptx", deck([sheet(forms)])))).toBe("new\n");
  });
});

describe("PowerPoint presentations that are not whole", () => {
  it("a slide that is missing or damaged is named, the others are read", async () => {
    const bytes = deck([sheet(title("A")), sheet(title("B")), sheet(title("C"))], {
      "ppt/_rels/presentation.xml.rels": links(
        ["slide", "slides/slide1.xml"],
        ["slide", "slides/gone.xml"],
        ["slide", "slides/slide3.xml"],
      ),
      "ppt/slides/slide3.xml": sheet(title("C") + box("kept")).replace("</p:spTree>", "</p:wrong>"),
    });
    const document = await parseAs("a.pptx", bytes);
    expect(textOfParts(document)).toBe("# A\n\n\n# C\n\nkept\n");
    expect(document.warnings).toEqual([
      "Slide 2 is missing in the file.",
      expect.stringMatching(/^Slide 3 is damaged: .*not well-formed/),
    ]);
  });

  it("without its list of slides the files' numbers give the order", async () => {
    const bytes = pack({
      "[Content_Types].xml": "<Types/>",
      "ppt/slides/slide10.xml": sheet(title("Ten")),
      "PPT\\slides\\Slide2.xml": sheet(title("Two & more")),
    });
    const document = await parseAs("a.pptx", bytes);
    expect(textOfParts(document)).toBe("# Two & more\n\n\n# Ten\n");
    expect(document.warnings).toEqual([expect.stringContaining("list of its slides")]);
  });

  it("K4.5 slides without any text say so, with their number", async () => {
    expect(await failureOf(parseAs("a.pptx", deck([sheet(""), sheet("")])))).toEqual({
      failure: "no_text",
      message: expect.stringContaining("2 slide(s)"),
    });
  });

  it("P10 a slide listed twenty thousand times is read once", async () => {
    const listed = '<p:sldId r:id="r1"/>'.repeat(20_000);
    const bytes = deck([sheet(title("A"))], {
      "ppt/presentation.xml": `<p:presentation ${NS}><p:sldIdLst>${listed}</p:sldIdLst></p:presentation>`,
    });
    expect((await parseAs("a.pptx", bytes)).parts).toHaveLength(1);
  });

  it("P10 groups nested deep, entities that multiply and rows as wide as a slide end in bounds", async () => {
    const deep = `${"<p:grpSp>".repeat(900)}${box("deep")}${"</p:grpSp>".repeat(900)}`;
    const laughs = `<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]>${sheet(box("&b; end"))}`;
    const cell = "<a:tc><a:txBody><a:p><a:r><a:t>x</a:t></a:r></a:p></a:txBody></a:tc>";
    const wide = `<p:graphicFrame><a:graphic><a:graphicData><a:tbl><a:tr>${cell.repeat(3000)}</a:tr>${`<a:tr>${cell}</a:tr>`.repeat(5000)}</a:tbl></a:graphicData></a:graphic></p:graphicFrame>`;
    const document = await parseAs("a.pptx", deck([sheet(box("top") + deep), sheet(laughs), sheet(wide)]));
    expect(document.parts.length).toBeGreaterThanOrEqual(2);
    expect(textOfParts(document)).toContain("top");
    expect(textOfParts(document).length).toBeLessThan(2_000_000);
  });

  it("P10 a slide of more elements than people make is named and left out", async () => {
    const bytes = deck([sheet(title("A")), sheet("<p:sp/>".repeat(400_001))]);
    expect(await parseAs("a.pptx", bytes)).toMatchObject({
      warnings: [expect.stringContaining("Slide 2 is damaged: Its XML has too many elements")],
    });
  });
});
