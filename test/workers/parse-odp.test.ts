import { strToU8, zipSync } from "fflate";
import { describe, expect, it } from "vitest";
import { failureOf, parseAs, textOfParts } from "../support/parse.ts";

const TYPE = "application/vnd.oasis.opendocument.presentation";

const frame = (inner: string, attributes = ""): string => `<draw:frame ${attributes}>${inner}</draw:frame>`;
const box = (text: string, attributes = ""): string =>
  frame(`<draw:text-box><text:p>${text}</text:p></draw:text-box>`, attributes);
const title = (text: string): string => box(text, 'presentation:class="title"');
const page = (inner: string, attributes = ""): string => `<draw:page ${attributes}>${inner}</draw:page>`;
const content = (pages: string, styles = ""): string =>
  `<office:document-content><office:automatic-styles>${styles}</office:automatic-styles><office:body><office:presentation>${pages}</office:presentation></office:body></office:document-content>`;

function odp(pages: string, parts: Readonly<Record<string, string>> = {}): Uint8Array {
  const files = { mimetype: TYPE, "content.xml": content(pages), ...parts };
  return zipSync(Object.fromEntries(Object.entries(files).map(([name, text]) => [name, strToU8(text)])), {
    level: 0,
  });
}

describe("OpenDocument presentations", () => {
  it("K7.5 each slide is a part with its number, its title and its lists", async () => {
    const list =
      '<text:list text:style-name="N"><text:list-item><text:p>One</text:p><text:list><text:list-item><text:p>Inner</text:p></text:list-item></text:list></text:list-item><text:list-item><text:p>Two<text:line-break/>more<text:s text:c="2"/>of it</text:p></text:list-item></text:list>';
    const styles =
      '<text:list-style style:name="N"><text:list-level-style-number text:level="1" style:num-format="1"/><text:list-level-style-bullet text:level="2"/></text:list-style>';
    const pages =
      page(title("Hello") + frame(`<draw:text-box>${list}</draw:text-box>`, 'presentation:class="outline"')) +
      page(title("Again"));
    const document = await parseAs("a.odp", odp("", { "content.xml": content(pages, styles) }));
    expect(document).toMatchObject({ format: "odp", parser: "odp@1", title: "Hello", warnings: [] });
    expect(document.parts.map(({ locator, text }) => [locator, text])).toEqual([
      [{ slide: 1 }, "# Hello\n\n1. One\n  - Inner\n2. Two\n   more of it\n"],
      [{ slide: 2 }, "# Again\n"],
    ]);
  });

  it("shapes are read by their places, whatever their unit; groups and alternative texts are there", async () => {
    const pages = page(
      box("last", 'svg:x="1cm" svg:y="9cm" svg:width="5cm" svg:height="2cm"') +
        `<draw:g><draw:custom-shape svg:x="1in" svg:y="1in" svg:width="1in" svg:height="1in"><text:p>second</text:p></draw:custom-shape></draw:g>` +
        frame(
          "<draw:image/><svg:title>Tower</svg:title><svg:desc>A tower that leans</svg:desc>",
          'svg:x="10mm" svg:y="1mm" svg:width="5cm" svg:height="1cm"',
        ),
    );
    expect(textOfParts(await parseAs("a.odp", odp(pages)))).toBe(
      "[Picture: A tower that leans]\n\nsecond\n\nlast\n",
    );
  });

  it("tables, charts and formulas are there, cells that repeat within bounds", async () => {
    const cell = (text: string, attributes = ""): string =>
      `<table:table-cell ${attributes}><text:p>${text}</text:p></table:table-cell>`;
    const table = `<table:table><table:table-row>${cell("a")}${cell("b", 'table:number-columns-repeated="2"')}</table:table-row><table:table-row>${cell("1")}${cell("", 'table:number-columns-repeated="999999999"')}</table:table-row></table:table>`;
    const chart = `<office:document-content><office:body><office:chart><chart:chart><chart:title><text:p>Sales</text:p></chart:title><table:table><table:table-row>${cell("East")}${cell("4")}</table:table-row></table:table></chart:chart></office:chart></office:body></office:document-content>`;
    const bytes = odp(
      page(
        frame(table) +
          frame('<draw:object xlink:href="./Object 1"/><draw:image/>') +
          frame('<draw:object xlink:href="./Object 2"/>'),
      ),
      {
        "Object 1/content.xml": chart,
        "Object 2/content.xml":
          '<math><semantics><mi>x</mi><annotation encoding="StarMath 5.0">x^2</annotation></semantics></math>',
      },
    );
    expect(textOfParts(await parseAs("a.odp", bytes))).toBe(
      "| a | b | b |\n| --- | --- | --- |\n| 1 | | |\n\nSales\n\n| East | 4 |\n| --- | --- |\n\nx^2\n",
    );
  });

  it("notes, comments, hidden slides and footers are marked, the last given once", async () => {
    const styles =
      '<style:style style:name="dp2"><style:drawing-page-properties presentation:visibility="hidden"/></style:style>';
    const notes = `<presentation:notes>${box("Say hello", 'presentation:class="notes"')}</presentation:notes>`;
    const comment =
      "<office:annotation><dc:creator>Ada</dc:creator><text:p>Really?</text:p></office:annotation>";
    const number = box("<text:page-number>1</text:page-number>", 'presentation:class="page-number"');
    const pages =
      '<presentation:footer-decl presentation:name="f1">ACME</presentation:footer-decl>' +
      page(
        title("A") + number + comment + notes,
        'presentation:use-footer-name="f1" draw:master-page-name="M"',
      ) +
      page(title("B"), 'presentation:use-footer-name="f1" draw:master-page-name="M" draw:style-name="dp2"');
    const master = `<office:document-styles><office:master-styles><style:master-page style:name="M">${box("Click to edit", 'presentation:class="title"')}${box("Confidential")}</style:master-page></office:master-styles></office:document-styles>`;
    const document = await parseAs(
      "a.odp",
      odp("", { "content.xml": content(pages, styles), "styles.xml": master }),
    );
    expect(document.parts.map(({ text }) => text)).toEqual([
      "# A\n\nACME\n\nConfidential\n\nComment by Ada: Really?\n\n## Notes\n\nSay hello\n",
      "# B\n\n(hidden slide)\n",
    ]);
    expect(document.metadata).toMatchObject({ slides: 2, hiddenSlides: [2] });
  });

  it("one XML file that holds all is read too, and one whose type stands elsewhere", async () => {
    const flat = `<?xml version="1.0"?><office:document office:mimetype="${TYPE}"><office:meta><dc:title>Plan</dc:title><meta:keyword>k</meta:keyword></office:meta><office:body><office:presentation>${page(box("text"))}</office:presentation></office:body></office:document>`;
    expect(await parseAs("a.fodp", flat)).toMatchObject({
      parser: "odp@1",
      title: "Plan",
      metadata: { keywords: ["k"] },
    });
    const files = {
      "content.xml": content(page(box("text"))),
      "META-INF/manifest.xml": `<manifest:manifest><manifest:file-entry manifest:full-path="/" manifest:media-type="${TYPE}"/></manifest:manifest>`,
    };
    const bytes = zipSync(
      Object.fromEntries(Object.entries(files).map(([name, text]) => [name, strToU8(text)])),
    );
    expect((await parseAs("a.bin", bytes)).parser).toBe("odp@1");
  });

  it("K4.5 a password, damage and emptiness are told apart", async () => {
    const manifest =
      '<manifest:manifest><manifest:file-entry manifest:full-path="content.xml"><manifest:encryption-data/></manifest:file-entry></manifest:manifest>';
    const locked = odp("", { "content.xml": "\u0001\u0002", "META-INF/manifest.xml": manifest });
    expect(await failureOf(parseAs("a.odp", locked))).toMatchObject({ failure: "needs_password" });
    expect(await failureOf(parseAs("a.odp", odp(page(""))))).toMatchObject({ failure: "no_text" });
    expect(await failureOf(parseAs("a.odp", odp("", { "content.xml": "<a><b" })))).toMatchObject({
      failure: "corrupt",
    });
    const cut = odp("", { "content.xml": content(page(title("A")) + page(title("B"))).slice(0, -120) });
    const document = await parseAs("a.odp", cut);
    expect(textOfParts(document)).toContain("# A");
    expect(document.warnings).toEqual([expect.stringContaining("content.xml is damaged")]);
  });
});
