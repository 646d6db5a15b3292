import { strToU8 } from "fflate";
import { describe, expect, it } from "vitest";
import { failureOf, parseAs, textOfParts } from "../support/parse.ts";
import { odt, odtPages } from "../support/word-files.ts";

const read = (...content: Parameters<typeof odt>) => parseAs("letter.odt", odt(...content));
const textOf = async (...content: Parameters<typeof odt>) => textOfParts(await read(...content));
const p = (text: string, style = "") => `<text:p text:style-name="${style}">${text}</text:p>`;
const cell = (content: string) => `<table:table-cell>${content}</table:table-cell>`;

describe("OpenDocument texts", () => {
  it("headings, lists and tables keep their form", async () => {
    const lists =
      `<text:list-style style:name="L1"><text:list-level-style-number text:level="1" style:num-format="1"/>` +
      `<text:list-level-style-bullet text:level="2"/></text:list-style>` +
      `<style:style style:name="P1" style:parent-style-name="Title"/>`;
    const body =
      p("The title", "P1") +
      `<text:h text:outline-level="2">Costs</text:h>` +
      `<text:list text:style-name="L1"><text:list-item>${p("one")}${p("more of one")}<text:list><text:list-item>${p("inner")}</text:list-item></text:list></text:list-item>` +
      `<text:list-item>${p("two")}</text:list-item></text:list>` +
      `<table:table><table:table-row>${cell(p("a"))}<table:table-cell table:number-columns-repeated="2"/>${cell(p("b"))}</table:table-row>` +
      `<table:table-row>${cell(p("1"))}<table:covered-table-cell/><table:covered-table-cell/>${cell(p("2"))}</table:table-row></table:table>`;
    const document = await read(body, lists);
    expect(document.format).toBe("odt");
    expect(textOfParts(document)).toBe(
      "# The title\n\n## Costs\n\n1. one\n\n   more of one\n   - inner\n2. two\n\n" +
        "| a | | | b |\n| --- | --- | --- | --- |\n| 1 | | | 2 |\n",
    );
  });

  it("headings and items have the numbers that are shown, and a list that goes on counts on", async () => {
    const pages = `<office:document-styles><office:styles><text:outline-style><text:outline-level-style text:level="1" style:num-format="1"/><text:outline-level-style text:level="2" style:num-format="1" text:display-levels="2" style:num-suffix="."/></text:outline-style></office:styles></office:document-styles>`;
    const lists = `<text:list-style style:name="L1"><text:list-level-style-number text:level="1" style:num-format="I" style:num-prefix="(" style:num-suffix=")"/><text:list-level-style-number text:level="2" style:num-format="1" loext:num-list-format="%1%-%2%" text:start-value="4"/></text:list-style>`;
    const heading = (level: number, text: string, more = "") =>
      `<text:h text:outline-level="${level}" ${more}>${text}</text:h>`;
    const list = (attributes: string, ...items: string[]) =>
      `<text:list text:style-name="L1" ${attributes}>${items.map((item) => `<text:list-item>${item}</text:list-item>`).join("")}</text:list>`;
    const body =
      heading(1, "Works") +
      heading(2, "<text:number>9.9</text:number>Tools") +
      heading(2, "Safety") +
      heading(2, "Alone", `text:is-list-header="true"`) +
      list(`xml:id="first"`, p("one"), p("two") + p("more") + list("", p("inner"))) +
      p("Between.") +
      list(`text:continue-list="first"`, p("three")) +
      list("", p("anew"));
    expect(await textOf(body, lists, { "styles.xml": strToU8(pages) })).toBe(
      "# 1 Works\n\n## 1.1. Tools\n\n## 1.2. Safety\n\n## Alone\n\n- (I) one\n- (II) two\n\n  more\n  - II-4 inner\n\n" +
        "Between.\n\n- (III) three\n- (I) anew\n",
    );
  });

  it("headers, footers, notes and comments are there once, each under a heading of its own", async () => {
    const body =
      p(
        `See<text:note text:note-class="footnote"><text:note-citation>1</text:note-citation><text:note-body>${p("A note.")}</text:note-body></text:note> on`,
      ) +
      p(
        `Here<office:annotation><dc:creator>Ann Lee</dc:creator><dc:date>2026-01-02</dc:date>${p("Right?")}</office:annotation>.`,
      );
    const pages = odtPages(
      `<style:header>${p("ACME Ltd")}</style:header><style:header-left>${p("ACME Ltd")}</style:header-left>` +
        `<style:footer>${p("Page <text:page-number>1</text:page-number>")}</style:footer>`,
    );
    const { parts } = await read(body, "", { "styles.xml": pages });
    expect(parts.map(({ text, headings }) => [headings, text])).toEqual([
      [[], "ACME Ltd\n\nSee[1] on\n\nHere.\n"],
      [["Notes"], "[1] A note.\n"],
      [["Comments"], "Comment by Ann Lee: Right?\n"],
      [["Footer"], "Page 1\n"],
    ]);
  });

  it("text boxes follow their paragraph; alternative texts, formulas, fields and spaces are read", async () => {
    const formula = `<math><semantics><mi>E</mi><annotation encoding="StarMath 5.0">E = m c^2</annotation></semantics></math>`;
    const body =
      p(`Before<draw:frame><draw:text-box>${p("In the box")}</draw:text-box></draw:frame> after`) +
      p(
        `<draw:frame><draw:image/><svg:title>Bridge</svg:title><svg:desc>A red bridge</svg:desc></draw:frame>`,
      ) +
      p(`<draw:object xlink:href="./Object 1"/>`) +
      p(`Shown<draw:custom-shape>${p("in a shape")}</draw:custom-shape> here`) +
      p(
        `On <text:date>2 May</text:date> by <text:creator>Bo</text:creator>:<text:s text:c="999999999"/>now<text:line-break/>then`,
      );
    expect(await textOf(body, "", { "Object 1/content.xml": strToU8(formula) })).toBe(
      "Before after\n\nIn the box\n\nBridge A red bridge\n\nE = m c^2\n\nShown here\n\nin a shape\n\nOn 2 May by Bo: now\nthen\n",
    );
  });

  it("deleted and hidden text and the sources of indexes are left out", async () => {
    const styles = `<style:style style:name="T1"><style:text-properties text:display="none"/></style:style><style:style style:name="T2" style:parent-style-name="T1"/>`;
    const body =
      `<text:tracked-changes><text:changed-region>${p("deleted")}</text:changed-region></text:tracked-changes>` +
      `<text:table-of-content><text:table-of-content-source><text:index-title-template>Contents</text:index-title-template></text:table-of-content-source>` +
      `<text:index-body>${p("Chapter 1")}</text:index-body></text:table-of-content>` +
      `<text:section text:display="none">${p("hidden section")}</text:section>` +
      p(`seen<text:span text:style-name="T2"> hidden</text:span>`);
    expect(await textOf(body, styles)).toBe("Chapter 1\n\nseen\n");
  });

  it("what it says of itself is kept, and templates and flat files are read too", async () => {
    const meta = `<office:meta><dc:title>Plan</dc:title><meta:initial-creator>Ann</meta:initial-creator><meta:keyword>a</meta:keyword><meta:keyword>b</meta:keyword></office:meta>`;
    const body = p("Words");
    const packed = await read(body, "", {
      "meta.xml": strToU8(`<office:document-meta>${meta}</office:document-meta>`),
    });
    expect(packed).toMatchObject({ title: "Plan", metadata: { author: "Ann", keywords: "a, b" } });
    const flat = await parseAs(
      "plan.fodt",
      `<?xml version="1.0"?>\n<office:document office:mimetype="application/vnd.oasis.opendocument.text">${meta}<office:body><office:text>${body}</office:text></office:body></office:document>`,
    );
    expect(flat).toMatchObject({ format: "odt", title: "Plan", metadata: { author: "Ann" } });
    expect(textOfParts(flat)).toBe("Words\n");
  });
});

describe("broken and hostile OpenDocument texts", () => {
  it("K4.5 one that is encrypted needs its password", async () => {
    const manifest = `<manifest:manifest><manifest:file-entry manifest:full-path="content.xml"><manifest:encryption-data/></manifest:file-entry></manifest:manifest>`;
    const failed = await failureOf(
      read(p("Not what it seems"), "", { "META-INF/manifest.xml": strToU8(manifest) }),
    );
    expect(failed.failure).toBe("needs_password");
  });

  it("one that breaks off is read up to there, with a warning", async () => {
    const document = await read(`${p("first")}<text:p>second</text:h>`);
    expect(textOfParts(document)).toBe("first\n\nsecond\n");
    expect(document.warnings).toHaveLength(1);
  });

  it("P10 repetition and nesting end at bounds", async () => {
    const wide = `<table:table-row><table:table-cell table:number-columns-repeated="1000000000"/>${cell(p("a"))}${cell(p("b"))}</table:table-row>`;
    expect((await textOf(`<table:table>${wide}</table:table>`)).length).toBeLessThan(500);
    const boxes = "<text:p><draw:text-box>".repeat(300) + p("core") + "</draw:text-box></text:p>".repeat(300);
    expect(await textOf(boxes)).toBe("core\n");
    const lists =
      "<text:list><text:list-item>".repeat(400) + p("core") + "</text:list-item></text:list>".repeat(400);
    expect(await textOf(lists)).toContain("core");
  });
});
