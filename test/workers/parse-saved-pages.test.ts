import { describe, expect, it } from "vitest";
import { titleFromName } from "../../workers/parse/title.ts";
import { failureOf, parseAs, textOfParts } from "../support/parse.ts";

const sentence = "This is a sentence of the article that people came to read, with some words to spare. ";

async function markdown(html: string): Promise<string> {
  return textOfParts(await parseAs("a.html", html)).trim();
}

describe("a page's title is its own, without the name of its site", () => {
  it.each([
    ["what it is shared under", "Beans | Garden", '<meta property="og:title" content="Beans">', "Beans"],
    [
      "its site's name",
      "Beans – a guide » My Garden",
      '<meta property="og:site_name" content="My garden">',
      "Beans – a guide",
    ],
    ["nothing else known", "Beans | Garden", "", "Beans | Garden"],
    [
      "another name when shared",
      "Beans",
      '<meta property="og:title" content="You will not believe this">',
      "Beans",
    ],
    ["no title", "", '<meta name="twitter:title" content="Shared">', "Shared"],
    ["wide spaces", "欲張り　＜童話＞", "", "欲張り　＜童話＞"],
  ])("%s", async (_, title, meta, expected) => {
    const document = await parseAs("a.html", `<head><title>${title}</title>${meta}</head><body><p>x`);
    expect(document.title).toBe(expected);
  });
});

describe("saved pages", () => {
  it.each([
    ["<!-- saved from url=(0024)https://example.org/a -->\n<html>", "https://example.org/a"],
    [
      "<!DOCTYPE html> <!--\n Page saved with SingleFile \n url: https://example.org/a \n-->",
      "https://example.org/a",
    ],
    [
      '<head><base href="https://example.org/dir/"><link rel="canonical" href="../a"></head>',
      "https://example.org/a",
    ],
    ['<head><link rel="canonical" href="javascript:go()"></head>', undefined],
    ['<head><link rel="canonical" href="http://["></head>', undefined],
  ])("%j says where it came from", async (head, url) => {
    expect((await parseAs("a.html", `${head}<body><p>x`)).metadata["url"]).toBe(url);
  });

  it("date and keywords have one form", async () => {
    const html = `<head><meta property="article:published_time" content="2024-03-05T09:30:00+0100"><meta name="keywords" content="Beans, Peas">
      <meta property="article:tag" content="Beds"></head><p>x`;
    expect((await parseAs("a.html", html)).metadata).toMatchObject({
      date: "2024-03-05T09:30:00+01:00",
      tags: ["Beans", "Peas", "Beds"],
    });
  });

  it.each([
    [
      "the shadow of an element",
      "<my-card><template shadowrootmode=open><p>shown</p></template></my-card>",
      "shown",
    ],
    ["a template", "<p>a</p><template><p>not shown</p></template>", "a"],
    [
      "a frame that was saved with it",
      '<p>a</p><iframe srcdoc="<p>in &amp;lt;it&amp;gt;</p><iframe srcdoc=x></iframe>"></iframe>',
      "a\n\nin <it>",
    ],
    [
      "hidden parts",
      '<p>a</p><p style="color:red; visibility: hidden">b</p><p hidden>c</p><p hidden="until-found">d</p>',
      "a\n\nd",
    ],
    ["a form to log in", "<p>a</p><form><h4>Log in</h4><label>Name</label></form>", "a"],
    ["a form around a page", `<form><p>${sentence.repeat(4)}</p></form>`, sentence.repeat(4).trim()],
    ["words that may be broken", "<p>Donau&shy;dampf<wbr>schiff&#8203;fahrt</p>", "Donaudampfschifffahrt"],
    [
      "numbers of lines beside code",
      '<table><tr><td class="gutter"><pre>1\n2</pre></td><td class="code"><pre>let a;\nlet b;</pre></td></tr></table>',
      "```\nlet a;\nlet b;\n```",
    ],
    [
      "cells that reach over others",
      "<table><tr><th>a<th>b<th>c<tr><td rowspan=2>1<td colspan=2>2<tr><td>3<td>4</table>",
      "| a | b | c |\n| --- | --- | --- |\n| 1 | 2 | |\n| | 3 | 4 |",
    ],
    [
      "lists in cells",
      "<table><tr><th>a<th>b<tr><td><ul><li>x<li>y</ul><td>1</table>",
      "| a | b |\n| --- | --- |\n| x y | 1 |",
    ],
    [
      "a caption",
      "<table><caption>Sizes</caption><tr><td>1<td>2</table>",
      "Sizes\n\n| 1 | 2 |\n| --- | --- |",
    ],
    ["definitions with several terms", "<dl><dt>a<dt>b<dd>c<dd>d</dl>", "a\n\nb\n  c\n  d"],
  ])("%s", async (_, html, expected) => {
    expect(await markdown(html)).toBe(expected);
  });

  it("K4.5 a page of frames names the pages in them", async () => {
    const problem = await failureOf(
      parseAs("a.html", '<html><frameset><frame src="menu.html"><frame src="text.html"></frameset></html>'),
    );
    expect(problem).toMatchObject({
      failure: "no_text",
      message: expect.stringContaining("menu.html, text.html"),
    });
  });

  it("an article that is small beside the links around it is still the article", async () => {
    const links = '<div><a href="/x">Somewhere else entirely</a> <a href="/y">And another place</a></div>';
    const story = `<div id="story">${`<p>${sentence.repeat(3)}</p>`.repeat(4)}</div>`;
    const text = await markdown(
      `<body>${links.repeat(40)}${story}<p>Imprint and more</p>${links.repeat(40)}</body>`,
    );
    expect(text).toContain(sentence.trim());
    expect(text).not.toContain("Somewhere else");
  });

  it.each([
    [
      "cells that claim to reach far",
      `<table>${"<tr><td colspan=1000000 rowspan=1000000>a<td>b".repeat(200)}</table>`,
    ],
    ["frames in frames", '<iframe srcdoc="'.repeat(5000)],
    [
      "60,000 elements that are mostly links",
      `<p>${sentence}</p>${"<a href=x>link</a> word ".repeat(60_000)}`,
    ],
    ["a title of a million signs", `<title>${"a | ".repeat(250_000)}</title><p>x`],
  ])("P10 %s are read", async (_, html) => {
    const document = await parseAs("a.html", `<p>text</p>${html}`);
    expect(textOfParts(document).length).toBeLessThan(5_000_000);
  });
});

describe("a file that names no title is called by its name", () => {
  it.each([
    ["#1 [draft].md", "#1 [draft]"],
    ["a/two\nlines.md", "two lines"],
    ["🐘.md", "🐘"],
    ["°.md", "°"],
    ["----.md", "----"],
    ["dot..md", "dot."],
    [".gitconfig", ".gitconfig"],
    ["no extension", "no extension"],
    ["bytes\uF7FF.md", "bytes\uFFFD"],
  ])("%j", (name, title) => {
    expect(titleFromName(name)).toBe(title);
  });
});
