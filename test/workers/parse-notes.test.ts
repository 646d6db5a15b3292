import { describe, expect, it } from "vitest";
import { chunkParts } from "../../workers/chunk/chunk.ts";
import { isoDate } from "../../workers/parse/note-fields.ts";
import { base } from "../support/chunking.ts";
import { parseAs, textOfParts } from "../support/parse.ts";

describe("what notes say of themselves has one form", () => {
  it.each([
    ["a list", "---\ntags: [Garden, '#Plants', garden]\naliases:\n  - Second name\n  - Third\n---\nx"],
    ["commas", '---\ntags: "Garden, Plants"\nalias: Second name, Third\n---\nx'],
    ["spaces", "---\ntags: Garden Plants\naliases: [Second name, Third]\n---\nx"],
    ["a line for each", "---\ntags:\n- Garden\n- Plants\naliases: Second name, Third\n---\nx"],
    ["TOML", '+++\ntags = ["Garden", "Plants"]\naliases = ["Second name", "Third"]\n+++\nx'],
    [
      "tables of TOML",
      '+++\naliases = ["Second name", "Third"]\n[taxonomies]\ntags = ["Garden", "Plants"]\n+++\nx',
    ],
    ["other words", "---\nKeywords: Garden, Plants\nAliases: Second name, Third\n---\nx"],
  ])("tags and aliases as %s", async (_, text) => {
    expect((await parseAs("a.md", text)).metadata).toMatchObject({
      tags: ["Garden", "Plants"],
      aliases: ["Second name", "Third"],
    });
  });

  it.each([
    ["2024-03-05", "2024-03-05"],
    ["2024/3/5", "2024-03-05"],
    ["20240305", "2024-03-05"],
    ["20240305101112", "2024-03-05"],
    ["1712012345678", "1712012345678"],
    ["2024-03-05 09:30:00 +0100", "2024-03-05T09:30:00+01:00"],
    ["2024-03-05T09:30:00Z", "2024-03-05T09:30:00Z"],
    ["<2024-03-05 Tue 09:30>", "2024-03-05T09:30"],
    ["March 5th, 2024", "2024-03-05"],
    ["Tuesday, 5 Mar 2024", "2024-03-05"],
    ["some day", "some day"],
    ["2024-13-45", "2024-13-45"],
    ["", null],
    [{}, null],
  ])("the date %j is %j", (value, expected) => {
    expect(isoDate(value)).toBe(expected);
  });

  it("the fields as they were written stay beside them", async () => {
    const document = await parseAs("a.md", "+++\ntitle = 'T'\ndate = 2024-03-05\nweight = 3\n+++\n# H\n");
    expect(document).toMatchObject({
      title: "T",
      metadata: {
        title: "T",
        date: "2024-03-05",
        frontMatter: { title: "T", date: "2024-03-05", weight: 3 },
      },
      parts: [{ bodyStart: 49 }],
    });
  });

  it("fields of one line count where YAML as a whole is wrong; text between two rules stays text", async () => {
    const wrong = "---\ntitle: Beans: part two\ntags: [Garden, Plants]\nnested:\n  - {\n---\n# H\n";
    expect(await parseAs("a.md", wrong)).toMatchObject({
      title: "Beans: part two",
      metadata: { tags: ["Garden", "Plants"] },
      parts: [{ text: wrong, bodyStart: wrong.indexOf("# H") }],
      warnings: [expect.stringContaining("only fields of one line")],
    });
    const text = "---\n\nHe said: this: that.\n\n---\nx";
    expect(await parseAs("b.md", text)).toMatchObject({ title: null, parts: [{ bodyStart: 0 }] });
  });

  it("TOML that is wrong is kept as text, with a warning", async () => {
    for (const source of ["title = ", "a = ".concat("[".repeat(1000)), `${"a.".repeat(5000)}a = 1`]) {
      const text = `+++\n${source}\n+++\ntext`;
      const document = await parseAs("a.md", text);
      expect(document.parts[0]).toMatchObject({ text, bodyStart: 0 });
      expect(document.warnings).toHaveLength(1);
    }
  });

  it("tags and links in a note's body count, those in code and numbers of issues do not", async () => {
    const text =
      "# Title\n\nAbout #garden/beds and #2024, #123, #ff0000.\n> [!note] With #Plants\n\nSee [[Other note#Part|that]] and ![[Picture.png]].\n\n```sh\n#comment [[no]]\n```\n`#code`\n";
    expect((await parseAs("a.md", `---\ntags: plants\n---\n${text}`)).metadata).toMatchObject({
      tags: ["plants", "garden/beds"],
      links: ["Other note", "Picture.png"],
    });
  });
});

describe("headings of notes", () => {
  it("links in a heading are the words that people read", async () => {
    const { parts } = await parseAs("a.md", "# [[Other note|that]] and [[Beds]]\n\nwords\n");
    expect(chunkParts(parts, base).chunks[0]?.headings).toEqual(["that and Beds"]);
  });
});

describe("MDX", () => {
  const text = [
    'import Tabs from "./tabs.js";',
    "export const meta = {",
    '  title: "Its title",',
    "};",
    "",
    "# Heading",
    "",
    '<Tabs items={["a > b"]}',
    '  label="First steps">',
    "Words with {/* a remark */} <b>weight</b>, `<Code>`, <https://example.org> and a < b.",
    "</Tabs>",
    "",
    "import duties are prose.",
    "",
    "```jsx",
    "import X from 'x';",
    "<X a={1} />",
    "```",
  ].join("\n");

  it("imports, exports and tags are no words to search; prose, code and labels are, in their lines", async () => {
    const document = await parseAs("a.mdx", text);
    expect(document.title).toBe("Its title");
    expect(document.parts[0]?.lines).toEqual({ kind: "same", first: 1 });
    const lines = textOfParts(document).split("\n");
    expect(lines).toHaveLength(text.split("\n").length);
    expect(lines.slice(0, 5)).toEqual(["", "", "", "", ""]);
    expect(lines[7]?.trim()).toBe("First steps");
    expect(lines[9]).toBe("Words with  weight, `<Code>`, <https://example.org> and a < b.");
    expect(lines.slice(12)).toEqual(text.split("\n").slice(12));
  });

  it.each([
    ["tags that never end", '<A b="'.repeat(50_000)],
    ["exports that never end", "export const a = {\n".repeat(50_000)],
    ["braces that never end", "{".repeat(500_000)],
    ["backticks that never end", "`".repeat(500_000)],
  ])("P10 %s keep as many lines", async (_, source) => {
    const document = await parseAs("a.mdx", `${source}\nwords`);
    expect(textOfParts(document).split("\n")).toHaveLength(source.split("\n").length + 1);
  });
});
