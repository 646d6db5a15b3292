import { strToU8, zipSync } from "fflate";
import { describe, expect, it } from "vitest";
import { failureOf, parseAs, textOfParts } from "../support/parse.ts";

const CONTAINER =
  '<container><rootfiles><rootfile full-path="OEBPS/book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>';

const xhtml = (body: string): string =>
  `<?xml version="1.0" encoding="utf-8"?><html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"><head><title>Book</title><script src="x.js"/></head><body>${body}</body></html>`;

interface Parts {
  readonly metadata?: string;
  /** More of the manifest. */
  readonly manifest?: string;
  readonly spine?: string;
  readonly guide?: string;
}
/** A book whose chapters are read in this order; names and texts. */
function book(
  chapters: Readonly<Record<string, string>>,
  parts: Parts = {},
  files: Readonly<Record<string, string>> = {},
): Uint8Array {
  const names = Object.keys(chapters);
  const items = names.map(
    (name, index) => `<item id="c${index}" href="${name}" media-type="application/xhtml+xml"/>`,
  );
  const spine = names.map((_, index) => `<itemref idref="c${index}"/>`);
  const opf = `<package><metadata>${parts.metadata ?? "<dc:title>A Book</dc:title>"}</metadata><manifest>${items.join("")}${parts.manifest ?? ""}</manifest><spine toc="ncx">${spine.join("")}${parts.spine ?? ""}</spine>${parts.guide ?? ""}</package>`;
  return pack({
    mimetype: "application/epub+zip",
    "META-INF/container.xml": CONTAINER,
    "OEBPS/book.opf": opf,
    ...Object.fromEntries(Object.entries(chapters).map(([name, text]) => [`OEBPS/${name}`, text])),
    ...files,
  });
}

function pack(files: Readonly<Record<string, string | Uint8Array>>): Uint8Array {
  return zipSync(
    Object.fromEntries(
      Object.entries(files).map(([name, data]) => [name, typeof data === "string" ? strToU8(data) : data]),
    ),
    { level: 0 },
  );
}

const NAV_ITEM = '<item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>';
const navFile = (list: string, landmarks = ""): string =>
  xhtml(`<nav epub:type="toc"><h1>Contents</h1><ol>${list}</ol></nav>${landmarks}`);
const navLine = (href: string, title: string, inner = ""): string =>
  `<li><a href="${href}">${title}</a>${inner === "" ? "" : `<ol>${inner}</ol>`}</li>`;

describe("EPUB books", () => {
  it("K7.5 each chapter is a part, named by the table of contents and below what it belongs to", async () => {
    const nav = navFile(
      navLine("p1.xhtml", "Part I", navLine("c%201.xhtml", "The Whale") + navLine("c2.xhtml", "The Ship")),
    );
    const bytes = book(
      {
        "p1.xhtml": xhtml("<h1>Part I</h1>"),
        "c 1.xhtml": xhtml("<h2>The Whale</h2><p>Call me <b>Ishmael</b>.</p>"),
        "c 1b.xhtml": xhtml("<p>It goes on.</p>"),
        "c2.xhtml": xhtml("<p>No heading here.</p>"),
      },
      { manifest: NAV_ITEM, spine: '<itemref idref="nav"/>' },
      { "OEBPS/nav.xhtml": nav },
    );
    const document = await parseAs("a.epub", bytes);
    expect(document).toMatchObject({
      format: "epub",
      parser: expect.stringMatching(/^epub@/),
      title: "A Book",
      warnings: [],
    });
    expect(document.parts.map(({ text, locator, headings }) => [text, locator?.chapter, headings])).toEqual([
      ["# Part I\n", "Part I", []],
      ["## The Whale\n\nCall me Ishmael.\n", "The Whale", ["Part I"]],
      ["It goes on.\n", "The Whale", ["Part I", "The Whale"]],
      ["No heading here.\n", "The Ship", ["Part I", "The Ship"]],
    ]);
  });

  it("the table of contents of EPUB 2 serves as well, and cuts a file that holds several chapters", async () => {
    const point = (title: string, src: string): string =>
      `<navPoint><navLabel><text>${title}</text></navLabel><content src="${src}"/></navPoint>`;
    const ncx = `<ncx><navMap>${point("One", "all.html#c1")}${point("Two", "all.html#c2")}${point("Three", "all.html#c3")}</navMap></ncx>`;
    const text = `<p>Before</p><div><a id="c1"/><h2>One</h2><p>first</p></div><h2><a name="c2"></a>Two</h2><ul><li id="c3">third</li></ul>`;
    const bytes = book(
      { "all.html": xhtml(text) },
      { manifest: '<item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/>' },
      { "OEBPS/toc.ncx": ncx },
    );
    const { parts } = await parseAs("a.epub", bytes);
    expect(parts.map(({ text, locator }) => [locator?.chapter, text])).toEqual([
      ["all.html", "Before\n"],
      ["One", "## One\n\nfirst\n"],
      ["Two", "## Two\n"],
      ["Three", "- third\n"],
    ]);
  });

  it("what the book says of itself becomes metadata", async () => {
    const metadata = `<dc:title id="t2">A tale</dc:title><meta refines="#t2" property="title-type">subtitle</meta><dc:title id="t1">Moby Dick &amp; Co</dc:title><meta refines="#t1" property="title-type">main</meta>
      <dc:creator opf:role="aut">Herman Melville</dc:creator><dc:creator opf:role="ill">Someone</dc:creator><dc:language>en</dc:language><dc:publisher>Harper</dc:publisher>
      <dc:date opf:event="modification">2020</dc:date><dc:date opf:event="publication">1851</dc:date><dc:identifier opf:scheme="ISBN">978</dc:identifier><dc:subject>Whales</dc:subject><dc:description>&lt;p&gt;A &lt;b&gt;long&lt;/b&gt; one&lt;/p&gt;</dc:description>`;
    const document = await parseAs("a.epub", book({ "c.xhtml": xhtml("<p>x</p>") }, { metadata }));
    expect(document.title).toBe("Moby Dick & Co");
    expect(document.metadata).toEqual({
      author: "Herman Melville",
      language: "en",
      publisher: "Harper",
      published: "1851",
      identifiers: ["ISBN:978"],
      subjects: ["Whales"],
      subtitle: "A tale",
      description: "A long one",
      chapters: 1,
    });
  });

  it("covers, tables of contents and page marks are left out; notes and formulas stay readable", async () => {
    const links = Array.from(
      { length: 9 },
      (_, index) => `<p><a href="c.xhtml">Chapter ${index}</a></p>`,
    ).join("");
    const text = `<p>wa<span epub:type="pagebreak">12</span>ter<a epub:type="noteref" href="#n">1</a> and x<sup><a href="#n">2</a></sup></p>
      <m:math xmlns:m="http://www.w3.org/1998/Math/MathML" alttext="E=mc^2"><m:mi>E</m:mi></m:math>
      <p><math><semantics><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow><annotation encoding="application/x-tex">a+b</annotation></semantics></math></p>
      <aside epub:type="footnote" id="n"><p>A note.</p></aside><img src="a.png" alt="cover"/><img src="b.png" alt="A harpoon"/>`;
    const bytes = book(
      {
        "cover.xhtml": xhtml('<p>A Book</p><img alt="Cover"/>'),
        "toc.xhtml": xhtml(links),
        "c.xhtml": xhtml(text),
      },
      {
        manifest: NAV_ITEM,
        guide: '<guide><reference type="cover" href="cover.xhtml"/></guide>',
      },
      { "OEBPS/nav.xhtml": navFile(navLine("c.xhtml", "Only")) },
    );
    const { parts } = await parseAs("a.epub", bytes);
    expect(parts.map(({ text }) => text)).toEqual([
      "water[1] and x[2]\n\nE=mc^2\n\na+b\n\nA note.\n\nA harpoon\n",
    ]);
  });

  it("names that differ only in case or in how their letters are composed are told apart, others found all the same", async () => {
    const bytes = book({
      "Ch.xhtml": xhtml("<p>upper</p>"),
      "ch.xhtml": xhtml("<p>lower</p>"),
      "e\u0301.xhtml": xhtml("<p>apart</p>"),
      "\u00e9.xhtml": xhtml("<p>one</p>"),
    });
    expect((await parseAs("a.epub", bytes)).parts.map(({ text }) => text)).toEqual([
      "upper\n",
      "lower\n",
      "apart\n",
      "one\n",
    ]);
    const renamed = book(
      {},
      {
        manifest: '<item id="x" href="Text/A%20B.XHTML" media-type="application/xhtml+xml"/>',
        spine: '<itemref idref="x"/>',
      },
      { "OEBPS/text/a b.xhtml": xhtml("<p>found</p>") },
    );
    expect(textOfParts(await parseAs("a.epub", renamed))).toBe("found\n");
  });

  it("a book without the entry that names its type is told by its container", async () => {
    const files = {
      "META-INF/container.xml": CONTAINER,
      "OEBPS/book.opf": "<package/>",
      "OEBPS/a.xhtml": xhtml("<p>text</p>"),
    };
    const document = await parseAs("a.zip", pack(files));
    expect(document.parser).toMatch(/^epub@/);
    expect(textOfParts(document)).toBe("text\n");
    expect(document.warnings).toEqual([expect.stringContaining("in which order")]);
  });
});

describe("EPUB books that are not whole", () => {
  it("P9 broken chapters are named in warnings while the rest is indexed", async () => {
    const bytes = book(
      {
        "c1.xhtml": xhtml("<p>one</p>"),
        "c2.xhtml": "\0\u0001\u0002\0\0\u0003".repeat(50),
        "c3.xhtml": xhtml("<p>three"),
      },
      {
        manifest: '<item id="x" href="gone.xhtml" media-type="application/xhtml+xml"/>',
        spine: '<itemref idref="x"/><itemref idref="nowhere"/>',
      },
    );
    const document = await parseAs("a.epub", bytes);
    expect(document.parts.map(({ text }) => text)).toEqual(["one\n", "three\n"]);
    expect(document.warnings).toEqual([
      expect.stringMatching(/^Chapter 2 \(c2\.xhtml\) could not be read: it is no web page/),
      "Chapter 4 (gone.xhtml) could not be read: it is not in the file.",
      "Chapter 5 (nowhere) could not be read: it is not in the file.",
    ]);
  });

  it("K4.5 DRM says so; obscured fonts are no DRM", async () => {
    const data = (algorithm: string, uri: string): string =>
      `<EncryptedData><EncryptionMethod Algorithm="${algorithm}"/><CipherData><CipherReference URI="${uri}"/></CipherData></EncryptedData>`;
    const chapter = { "c.xhtml": xhtml("<p>text</p>") };
    const fonts = {
      "META-INF/encryption.xml": `<encryption>${data("http://www.idpf.org/2008/embedding", "OEBPS/f.otf")}</encryption>`,
    };
    expect(textOfParts(await parseAs("a.epub", book(chapter, {}, fonts)))).toBe("text\n");
    const drm = {
      "META-INF/encryption.xml": `<encryption>${data("http://www.w3.org/2001/04/xmlenc#aes128-cbc", "OEBPS/c.xhtml")}</encryption>`,
    };
    expect(await failureOf(parseAs("a.epub", book(chapter, {}, drm)))).toEqual({
      failure: "needs_password",
      message: expect.stringContaining("DRM"),
    });
    const licensed = book(
      { "c.xhtml": "\0\u0001\0\u0002".repeat(99) },
      {},
      { "META-INF/rights.xml": "<rights/>" },
    );
    expect(await failureOf(parseAs("a.epub", licensed))).toMatchObject({ failure: "needs_password" });
  });

  it("K4.5 a book of pictures and one without chapters say so", async () => {
    const pictures = book({ "a.xhtml": xhtml('<img src="1.png" alt=""/>') });
    expect(await failureOf(parseAs("a.epub", pictures))).toMatchObject({ failure: "no_text" });
    expect(await failureOf(parseAs("a.epub", book({})))).toMatchObject({ failure: "corrupt" });
  });

  it("P10 a book that is too long keeps its beginning and says what is left out", async () => {
    const chapters = Object.fromEntries(
      Array.from({ length: 5 }, (_, index) => [`c${index}.xhtml`, xhtml(`<p>${"word ".repeat(50)}</p>`)]),
    );
    const document = await parseAs("a.epub", book(chapters), {
      limits: { maxTextChars: 600, chunkTokens: 100 },
    });
    expect(document.parts).toHaveLength(2);
    expect(document.warnings).toEqual([expect.stringContaining("3 of its chapters")]);
  });

  it("P10 nesting, entities that multiply and thousands of broken chapters end in bounds", async () => {
    const laughs = `<!DOCTYPE html [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]><html><body>${"<div>".repeat(50_000)}&b; deep</body></html>`;
    const spine = Array.from({ length: 5000 }, (_, index) => `<itemref idref="m${index}"/>`).join("");
    const document = await parseAs("a.epub", book({ "c.xhtml": laughs }, { spine }));
    expect(textOfParts(document)).toBe("&b; deep\n");
    expect(document.warnings.length).toBeLessThan(50);
  });
});
