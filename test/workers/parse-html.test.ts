import { describe, expect, it } from "vitest";
import { parseTree } from "../../workers/parse/html/tree.ts";
import { toMarkdown } from "../../workers/parse/html/to-markdown.ts";
import { outlineOf } from "../../workers/chunk/outline.ts";
import { failureOf, parseAs, textOfParts } from "../support/parse.ts";

function markdown(html: string): string {
  return toMarkdown(parseTree(html).root);
}

const sentence = "This is a sentence of the article that people came to read, with some words to spare. ";

describe("HTML becomes Markdown", () => {
  it.each([
    ["headings", "<h1>One</h1><h3>A <em>b</em>\n c</h3>", "# One\n\n### A b c\n"],
    ["paragraphs", "<p>a\n  b</p>text<p>c</p>", "a b\n\ntext\n\nc\n"],
    ["line breaks", "<p>a<br>b</p>", "a\nb\n"],
    ["links and emphasis", '<p><a href="x">a</a> <b>b</b></p>', "a b\n"],
    ["code", "<p>run <code>npm ci</code></p>", "run `npm ci`\n"],
    ["code with marks", "<code>a`b</code>", "`` a`b ``\n"],
    ["lists", "<ul><li>a<li><p>b</p><ol start=3><li>c</ol></ul>", "- a\n- b\n  3. c\n"],
    ["quotes", "<blockquote><p>a</p><p>b</p></blockquote>", "> a\n>\n> b\n"],
    ["definitions", "<dl><dt>word<dd>meaning</dl>", "word\n  meaning\n"],
    ["rules", "a<hr>b", "a\n\n---\n\nb\n"],
    [
      "preformatted text",
      '<pre><code class="language-js">let a;\n\n  b</code></pre>',
      "```js\nlet a;\n\n  b\n```\n",
    ],
    ["a fence inside", "<pre>```\nx\n```</pre>", "````\n```\nx\n```\n````\n"],
    ["tables", "<table><tr><th>a<th>b<tr><td>1<td>x|y</table>", "| a | b |\n| --- | --- |\n| 1 | x\\|y |\n"],
    ["tables with paragraphs", "<table><tr><td><p>a</p><td>b</table>", "| a | b |\n| --- | --- |\n"],
    ["tables for layout", "<table><tr><td><h2>A</h2><td><ul><li>b</ul></table>", "## A\n\n- b\n"],
    ["pictures", '<p>see <img src="x.png" alt="the map"></p>', "see the map\n"],
    ["formulas", '<math alttext="x^2"><mi>x</mi></math>', "x^2\n"],
    [
      "formulas with their TeX beside them",
      '<math><semantics><mi>x</mi><annotation encoding="application/x-tex">x^2</annotation></semantics></math>',
      "x^2\n",
    ],
    [
      "marks of notes",
      '<p>word<a href="#1" role="doc-noteref"><sup>1</sup></a>, other<sup><a href="#2">2</a></sup>, m<sup>2</sup>',
      "word[1], other[2], m2\n",
    ],
    [
      "languages of code that a box around it names",
      '<div class="language-ruby highlighter"><div class="highlight"><pre><code>puts 1</code></pre></div></div>',
      "```ruby\nputs 1\n```\n",
    ],
    ["numbered lines of code", "<pre><ol><li>a = 1<li>b = 2</ol></pre>", "```\na = 1\nb = 2\n```\n"],
    ["readings", "<ruby>漢<rp>(</rp><rt>かん</rt><rp>)</rp></ruby>", "漢(かん)\n"],
    ["entities", "<p>&lt;b&gt; &amp; &eacute;&#x1F600;</p>", "<b> & é😀\n"],
    ["scripts and styles", "<script>var a = '<p>x</p>'</script><style>p{}</style><p>y", "y\n"],
    [
      "text like Markdown",
      "<p># no heading</p><p>```</p><p>- no item</p>",
      "\\# no heading\n\n\\```\n\n\\- no item\n",
    ],
    ["unclosed tags", "<div><p>a<div>b", "a\n\nb\n"],
  ])("%s keep their form", (_, html, expected) => {
    expect(markdown(html)).toBe(expected);
  });

  it("what it writes is what the chunker reads: text of a page makes no heading or fence", () => {
    const text = markdown("<h2>Real</h2><p># x</p><p>```</p><p>===</p><pre># y</pre><h3>Also</h3>");
    const { headings, fences } = outlineOf(text, "markdown");
    expect(headings.map(({ text }) => text)).toEqual(["Real", "Also"]);
    expect(fences).toHaveLength(1);
  });
});

describe("page chrome", () => {
  it.each([
    ["main", `<main><h1>T</h1><p>${sentence}</p></main>`],
    ["a role", `<div role="main"><h1>T</h1><p>${sentence}</p></div>`],
    ["a single article", `<article><header><h1>T</h1></header><p>${sentence}</p></article>`],
    ["nothing", `<h1>T</h1><p>${sentence}</p>`],
  ])("is left out where the content is marked by %s", async (_, content) => {
    const html = `<body><header><a href=/>Site</a></header><nav><ul><li>Menu</ul></nav>${content}
      <aside>Advert</aside><footer>Imprint</footer><p hidden>secret</p><div style="display:none">gone</div></body>`;
    expect(textOfParts(await parseAs("a.html", html))).toBe(`# T\n\n${sentence.trim()}\n`);
  });

  it("signs that point at a heading are left out", async () => {
    const html = '<main><h2>Usage<a class="headerlink" href="#usage">¶</a></h2><p>text</p></main>';
    expect(textOfParts(await parseAs("a.html", html))).toBe("## Usage\n\ntext\n");
  });

  it("a main element with hardly any of the page's text is not believed", async () => {
    const html = `<body><main>x</main><div>${sentence.repeat(5)}</div></body>`;
    expect(textOfParts(await parseAs("a.html", html))).toContain(sentence.trim());
  });

  it("the article is found in a page that is mostly links and marks nothing", async () => {
    const links =
      '<div class="box"><a href="/x">Somewhere else entirely</a> <a href="/y">And another place</a></div>';
    const paragraphs = `<p>${sentence.repeat(4)}</p>`.repeat(6);
    const html = `<html><head><title>T</title></head><body>${links.repeat(30)}<div id="story">${paragraphs}</div>${links.repeat(30)}</body></html>`;
    const text = textOfParts(await parseAs("a.html", html));
    expect(text).toContain(sentence.trim());
    expect(text).not.toContain("Somewhere else entirely");
  });

  it("an index, which is nothing but links, is kept whole", async () => {
    const html = `<body>${Array.from({ length: 200 }, (_, index) => `<a href="#">entry${index}</a>`).join("\n")}</body>`;
    expect(textOfParts(await parseAs("a.html", html))).toContain("entry0 entry1");
  });
});

describe("pages that leave out or repeat their own frame", () => {
  it.each([
    ["no end of the head", "<html><head><title>T</title><h1>One</h1><p>two", "# One\n\ntwo\n"],
    ["two pages in one file", "<html><body>a</body></html><html><body>b</body></html><p>c", "a\n\nb\n\nc\n"],
    ["a body that scripts uncover", '<body style="visibility:hidden" class="sidebar"><p>a</body>', "a\n"],
    [
      "buttons that unfold what they name",
      "<h2><button>Why?</button></h2><p>So.<button>Like</button>",
      "## Why?\n\nSo.\n",
    ],
    ["drawings before the title", "<svg><title>Logo</title></svg><p>a", "a\n"],
  ])("%s", async (_, html, text) => {
    expect(textOfParts(await parseAs("a.html", html))).toBe(text);
  });

  it("what follows thousands of elements that were never closed is in the page still", async () => {
    const rest = "<p>the rest of it</p>".repeat(2000);
    const html = `<html><body><main><p>start</p>${"<font>".repeat(1500)}${"x".repeat(20_000)}${rest}</main>`;
    const text = textOfParts(await parseAs("a.html", html));
    expect(text.match(/the rest of it/g)).toHaveLength(2000);
    expect(text).toContain("start");
  });
});

describe("what a page says of itself", () => {
  it("title, description, author and language are kept", async () => {
    const html = `<html lang="de"><head><title>Der  Titel &amp; mehr</title><meta name="description" content="Worum es geht">
      <meta property="article:author" content="A. Autor"></head><body><p>text</body></html>`;
    expect(await parseAs("a.html", html)).toMatchObject({
      title: "Der Titel & mehr",
      metadata: { language: "de", description: "Worum es geht", author: "A. Autor" },
    });
  });

  it("K4.5 a page that scripts fill in has no text, and the reason says so", async () => {
    const problem = await failureOf(
      parseAs("a.html", '<html><body><div id="app"></div><script>go()</script></body></html>'),
    );
    expect(problem).toMatchObject({ failure: "no_text", message: expect.stringContaining("scripts") });
  });
});

describe("hostile pages", () => {
  it.each([
    ["30,000 nested elements", `${"<div>".repeat(30_000)}deep text${"</div>".repeat(30_000)}`],
    ["30,000 nested inline elements", `${"<b>".repeat(30_000)}deep text`],
    ["30,000 nested elements that are not shown", `<p>deep text${"<object>".repeat(30_000)}`],
    ["30,000 nested lists", `${"<ul><li>".repeat(30_000)}deep text`],
    ["30,000 nested quotes", `${"<blockquote>".repeat(30_000)}deep text`],
    ["30,000 nested tables", `${"<table><tr><td>".repeat(30_000)}deep text`],
    ["a long run of white space", `<p>deep${" ".repeat(1_000_000)}text</p>`],
    ["many attributes", `<p ${"a=1 ".repeat(100_000)}>deep text</p>`],
    ["a million closing tags", `<p>deep text${"</b>".repeat(1_000_000)}`],
    ["one line of 10 MB", `<p>deep text ${"x".repeat(10_000_000)}</p>`],
  ])("P10 %s are read", async (_, html) => {
    expect(textOfParts(await parseAs("a.html", html)).replaceAll(/[->|\s]+/g, " ")).toContain("deep text");
  });
});
