import { describe, expect, it } from "vitest";
import { walkXml } from "../../workers/parse/xml/walk.ts";
import { chunkParts } from "../../workers/chunk/chunk.ts";
import { base } from "../support/chunking.ts";
import { failureOf, parseAs, textOfParts } from "../support/parse.ts";

const rss = `<?xml version="1.0" encoding="utf-8"?>
<rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel>
<title>Garden news</title><link>https://example.org/</link><description>All about beds</description><language>en</language>
<item><title>Beans &amp;amp; peas</title><link>https://example.org/1</link><pubDate>Tue, 05 Mar 2024 09:30:00 GMT</pubDate>
<category>Beds</category><description>Short.</description>
<content:encoded><![CDATA[<h1>Sowing</h1><p>Sow them <b>deep</b>.</p><script>no()</script>]]></content:encoded></item>
<item><title>Caf&eacute; at the gate</title><description>Coffee &nbsp;&lt;i&gt;daily&lt;/i&gt;</description></item>
</channel></rss>`;

const atom = `<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="de"><title>Notizen</title>
<link rel="self" href="https://example.org/feed"/><link href="https://example.org/"/><updated>2024-03-05T09:30:00Z</updated>
<entry><title>Erste</title><link href="https://example.org/e1"/><author><name>Ann</name></author>
<content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>Ein <em>Satz</em> &amp; mehr</p><ul><li>Punkt</li></ul></div></content></entry></feed>`;

describe("feeds", () => {
  it("RSS: each entry is a part with its title, date and text; what is escaped twice is read", async () => {
    const document = await parseAs("a.rss", rss);
    expect(document).toMatchObject({
      format: "xml",
      title: "Garden news",
      metadata: { kind: "feed", entries: 2, language: "en", url: "https://example.org/", tags: ["Beds"] },
      warnings: [],
    });
    expect(document.parts.map(({ text }) => text)).toEqual([
      "# Garden news\n\nAll about beds",
      "# Beans & peas\n\n2024-03-05 · https://example.org/1\n\n## Sowing\n\nSow them deep.",
      "# Café at the gate\n\nCoffee daily",
    ]);
    const { chunks } = chunkParts(document.parts, base);
    expect(chunks[1]).toMatchObject({
      headings: ["Garden news", "Beans & peas"],
      locator: { chapter: "Beans & peas" },
    });
  });

  it("Atom: XHTML inside is read as what it is", async () => {
    const document = await parseAs("feed", atom);
    expect(document).toMatchObject({
      title: "Notizen",
      metadata: { language: "de", url: "https://example.org/" },
    });
    expect(document.parts[1]?.text).toBe(
      "# Erste\n\nAnn · https://example.org/e1\n\nEin Satz & mehr\n\n- Punkt",
    );
  });

  it("what a film is about stands in its group of media", async () => {
    const film = `<feed><title>Films</title><entry><title>Bees</title><media:group xmlns:media="m"><media:title>Bees</media:title><media:description>How they dance.</media:description></media:group></entry></feed>`;
    expect(textOfParts(await parseAs("a.xml", film))).toContain("# Bees\n\nHow they dance.");
  });

  it("a feed that is cut off keeps its sound entries, with a warning", async () => {
    const document = await parseAs("a.xml", rss.slice(0, rss.indexOf("Coffee")));
    expect(textOfParts(document)).toContain("Sow them deep.");
    expect(document.warnings).toHaveLength(1);
  });
});

describe("DocBook", () => {
  const book = `<?xml version="1.0"?>
<!DOCTYPE book PUBLIC "-//OASIS//DTD DocBook XML V4.5//EN" "http://example.org/docbookx.dtd" [
<!ENTITY product "Knowd"> <!ENTITY big "&product;&product;">]>
<book lang="en"><bookinfo><title>The &product; book</title><author><firstname>Ann</firstname> <surname>Gardener</surname></author>
<pubdate>2024</pubdate></bookinfo>
<chapter><title>Start</title><indexterm><primary>hidden</primary></indexterm>
<para>Run <command>knowd</command>&mdash;now<footnote><para>Or later.</para></footnote>.</para>
<note><para>Take care.</para></note>
<programlisting language="c"><![CDATA[int x;
int y;]]></programlisting>
<sect1><title>Sizes</title><itemizedlist><listitem><para>one</para></listitem></itemizedlist>
<variablelist><varlistentry><term>word</term><listitem><para>meaning</para></listitem></varlistentry></variablelist>
<informaltable><tgroup cols="2"><thead><row><entry>Name</entry><entry>Value</entry></row></thead>
<tbody><row><entry>a</entry><entry>1</entry></row></tbody></tgroup></informaltable></sect1></chapter></book>`;

  it("sections, lists, tables, code and notes keep their form", async () => {
    const document = await parseAs("a.xml", book);
    expect(document).toMatchObject({
      title: "The Knowd book",
      metadata: { kind: "docbook", author: "Ann Gardener", date: "2024", language: "en" },
      warnings: [],
    });
    expect(textOfParts(document).split("\n").filter(Boolean)).toEqual([
      "# The Knowd book",
      "## Start",
      "Run `knowd`—now (Or later.).",
      "Note:",
      "Take care.",
      "```c",
      "int x;",
      "int y;",
      "```",
      "### Sizes",
      "- one",
      "word",
      "  meaning",
      "| Name | Value |",
      "| --- | --- |",
      "| a | 1 |",
    ]);
  });
});

describe("outlines and books", () => {
  it("OPML: topics are headings, what is below them a list, with notes, marks and addresses", async () => {
    const opml = `<?xml version="1.0"?><opml version="2.0"><head><title>Plan</title><ownerName>Ann</ownerName></head><body>
<outline text="Beds" _note="South&#10;side"><outline text="Beans &amp;amp; &lt;b&gt;peas&lt;/b&gt;" _complete="true"><outline text="Sow"/></outline></outline>
<outline text="Loose"/><outline text="News"><outline type="rss" text="Blog" xmlUrl="https://example.org/feed"/></outline></body></opml>`;
    const document = await parseAs("a.opml", opml);
    expect(document).toMatchObject({
      title: "Plan",
      metadata: { kind: "outline", author: "Ann" },
      warnings: [],
    });
    expect(textOfParts(document)).toBe(
      "# Plan\n\n## Beds\n\nSouth\nside\n\n- [x] Beans & peas\n  - Sow\n\n- Loose\n\n## News\n\n- Blog <https://example.org/feed>",
    );
    // What stands between two topics is below neither.
    expect(document.parts[0]?.outline).toEqual([
      { line: 0, level: 1, text: "Plan" },
      { line: 2, level: 2, text: "Beds", endLine: 9 },
      { line: 12, level: 2, text: "News", endLine: 15 },
    ]);
  });

  it("FictionBook: each outermost section is a part with its chapter, verses keep their lines", async () => {
    const book = `<FictionBook xmlns="http://www.gribuser.ru/xml/fictionbook/2.0"><description><title-info><genre>prose</genre>
<author><first-name>Anton</first-name><last-name>Chekhov</last-name></author><book-title>The Steppe</book-title>
<annotation><p>A journey.</p></annotation><date value="1888-03-01">1888</date><lang>en</lang></title-info></description>
<body><title><p>The Steppe</p></title><section><title><p>I</p><p>The road</p></title><p>Early <emphasis>one</emphasis> morning.</p>
<section><title><p>Inside</p></title><poem><stanza><v>One line</v><v>another line</v></stanza></poem><cite><p>Quoted.</p></cite></section></section>
<section><p>No name.</p></section></body>
<body name="notes"><title><p>Notes</p></title><section><title><p>1</p></title><p>A note.</p></section></body>
<binary id="a">QUJD</binary></FictionBook>`;
    const document = await parseAs("a.fb2", book);
    expect(document).toMatchObject({
      title: "The Steppe",
      metadata: { author: "Anton Chekhov", date: "1888-03-01", language: "en", tags: ["prose"] },
    });
    expect(document.parts.map(({ text, locator }) => [text, locator])).toEqual([
      ["# The Steppe\n\nAnton Chekhov\n\nA journey.", null],
      [
        "# I. The road\n\nEarly one morning.\n\n## Inside\n\nOne line\nanother line\n\n> Quoted.",
        { chapter: "I. The road" },
      ],
      ["No name.", null],
      ["# Notes\n\n## 1\n\nA note.", { chapter: "Notes" }],
    ]);
    const cut = await parseAs("b.fb2", book.slice(0, book.indexOf("Quoted")));
    expect(textOfParts(cut)).toContain("another line");
    expect(cut.warnings).toHaveLength(1);
  });

  it("P10 nested as deep as XML may be, they are read", async () => {
    const deep = (tag: string, open: string): string => `${open.repeat(900)}x${`</${tag}>`.repeat(900)}`;
    const opml = await parseAs(
      "a.opml",
      `<opml><body>${deep("outline", '<outline text="a">')}</body></opml>`,
    );
    expect(textOfParts(opml).length).toBeLessThan(60_000);
    const book = `<FictionBook><body>${deep("section", "<section><title><p>a</p></title>")}</body></FictionBook>`;
    expect(textOfParts(await parseAs("a.fb2", book))).toContain("x");
  });
});

describe("other XML", () => {
  it("a drawing whose words are pages in it has them once", async () => {
    const page = "<foreignObject><div><p>Long label</p><p>two</p></div></foreignObject>";
    const svg = `<svg><g><switch>${page}<text>Long la...</text></switch></g><text><tspan>A</tspan><tspan>B</tspan></text></svg>`;
    expect(textOfParts(await parseAs("a.svg", svg))).toBe("Long label two\nA B");
  });

  it("a drawing is its title and its words", async () => {
    const svg = `<svg xmlns="http://www.w3.org/2000/svg"><title>Plan</title><path d="M 1 2"/><g><text><tspan>North</tspan><tspan>bed</tspan></text></g></svg>`;
    const document = await parseAs("a.svg", svg);
    expect(document).toMatchObject({ title: "Plan" });
    expect(textOfParts(document)).toBe("Plan\nNorth bed");
    const silent = await failureOf(parseAs("a.svg", '<svg><path d="M 1 2"/></svg>'));
    expect(silent.failure).toBe("no_text");
  });

  it.each([
    ["a title", "<settings>\n  <title>My settings</title>\n</settings>", "My settings", 0],
    ["no title", "<list>\n  <person><name>Ann</name></person>\n</list>", null, 0],
    ["a mistake", "<a>\n<b></a>", null, 0],
  ])("data with %s stands as it is", async (_, text, title, warnings) => {
    const document = await parseAs("a.xml", text);
    expect(document).toMatchObject({
      title,
      parts: [{ text, markup: "code", lines: { kind: "same", first: 1 } }],
    });
    expect(document.warnings).toHaveLength(warnings);
  });

  it("XHTML is a web page", async () => {
    const text =
      '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title>T</title></head><body><p>x</p></body></html>';
    expect(await parseAs("a.xml", text)).toMatchObject({ title: "T", parts: [{ text: "x\n" }] });
  });

  it.each([
    [
      "entities inside entities",
      `<!DOCTYPE book SYSTEM "docbook" [<!ENTITY a "aaaaaaaaaa">${'<!ENTITY b "&a;&a;">'.repeat(1000)}]><book><para>&b;&a;</para></book>`,
    ],
    [
      "one entity many times",
      `<!DOCTYPE book SYSTEM "docbook" [<!ENTITY a "${"a".repeat(500)}">]><book><para>${"&a;".repeat(100_000)}</para></book>`,
    ],
    ["deep nesting", `<feed><entry>${"<a>".repeat(50_000)}`],
    ["unclosed comments", "<!--".repeat(50_000)],
    ["many elements", `<rss><channel>${"<item/>".repeat(450_000)}</channel></rss>`],
    ["deep sections", `<!DOCTYPE book SYSTEM "docbook"><book>${"<section><title>x</title>".repeat(900)}`],
  ])("P10 %s end in bounded time and size", async (_, text) => {
    const document = await parseAs("a.xml", text);
    expect(textOfParts(document).length).toBeLessThan(2_000_000 + 2 * text.length);
  });
});

describe("one long run of text", () => {
  it("comes out whole, whatever pieces it is parsed in", async () => {
    let text = "";
    let inside = "";
    const run = "a&amp;\u{1F600}\r\n".repeat(100_000);
    await walkXml(`<r a="${"&lt;x".repeat(200_000)}">${run}<![CDATA[${"<&]".repeat(200_000)}]]></r>`, {
      open: (_, attributes) => (inside = attributes["a"] ?? ""),
      text: (piece) => (text += piece),
    });
    expect(text).toBe("a&\u{1F600}\n".repeat(100_000) + "<&]".repeat(200_000));
    expect(inside).toBe("<x".repeat(200_000));
  });
});

describe("data", () => {
  it.each([
    ["a.json", '{"info":{"title":"Its API"}}', "Its API"],
    ["a.yaml", "info:\n  title: Its API\n", "Its API"],
    ["a.toml", '[package]\nname = "crate"\n', "crate"],
    ["a.toml", 'title = "T"\n', "T"],
    ["a.toml", "a = 1\n", null],
  ])("%s %j names itself", async (name, text, title) => {
    expect(await parseAs(name, text)).toMatchObject({ title, parts: [{ text, markup: "code" }] });
  });

  it("letters that JSON writes by number are found", async () => {
    const source = JSON.stringify({ a: "caf\u00e9 \u8bf7\u5047 \u{1F600}", b: 'line\n"quoted" \\u00e9' });
    const ascii = source.replaceAll(
      /[^ -~]/g,
      (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`,
    );
    expect(textOfParts(await parseAs("a.jsonl", ascii))).toBe(source);
    expect(textOfParts(await parseAs("a.json", String.raw`{"a":"\ud800 \u0000 \u0022"}`))).toBe(
      String.raw`{"a":"� \u0000 \u0022"}`,
    );
  });

  it("malformed TOML is still text, with a warning", async () => {
    const document = await parseAs("a.toml", "= nothing");
    expect(textOfParts(document)).toBe("= nothing");
    expect(document.warnings).toHaveLength(1);
  });
});
