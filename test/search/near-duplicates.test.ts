import { describe, expect, it } from "vitest";
import { areNearDuplicates, fingerprintOf } from "../../daemon/search/near-duplicates.ts";

const paragraph = Array.from(
  { length: 40 },
  (_, at) =>
    `Sentence ${"abcdefghijklmnopqrst"[at % 20]} tells of a thing ${"xyz".repeat((at % 5) + 1)} in the harbour.`,
).join(" ");
const chinese =
  "知识库把文件切成小块，为每一块建立索引，然后回答问题。它在本地运行，不上传任何内容；文件一改，索引就跟着改，旧的内容不再出现在答案里，新的内容马上可以找到。";

function alike(a: string, b: string, titles: readonly [string, string] = ["", ""]): boolean {
  return areNearDuplicates(fingerprintOf(a, titles[0]), fingerprintOf(b, titles[1]));
}

describe("near duplicates", () => {
  it("are texts that differ in white space, case and punctuation alone", () => {
    expect(alike(paragraph, paragraph.toUpperCase().replaceAll(" ", "\n  "))).toBe(true);
    const two =
      "Rotate the keys every month, and keep the old ones for a week in case that somebody needs them.";
    expect(alike(two, two.toLowerCase().replace(",", ""))).toBe(true);
    expect(alike(chinese, chinese.replaceAll("，", "、"))).toBe(true);
  });

  it("are long texts of which a few words differ", () => {
    expect(alike(paragraph, paragraph.replace("harbour", "port"))).toBe(true);
  });

  it("are not texts of which a number differs, however long", () => {
    expect(alike(`${paragraph} Sum: 1,200`, `${paragraph} Sum: 1,300`)).toBe(false);
    expect(alike("keys number 1", "keys number 2")).toBe(false);
  });

  it("are not texts that differ and whose titles name different things that both speak of", () => {
    const manual = (option: string, other: string): string =>
      `${option} is given to the linker. Beside it stands ${other}. ${paragraph}`;
    const [one, two] = [manual("SOFT_LIMIT", "HARD_LIMIT"), manual("HARD_LIMIT", "SOFT_LIMIT")];
    expect(alike(one, two, ["SOFT_LIMIT", "HARD_LIMIT"])).toBe(false);
    expect(alike(one, two, ["limits.md", "limits of the linker.md"])).toBe(false);
    expect(alike(one, two, ["Limits of the linker", "linker (1)"])).toBe(true);
    expect(alike(one, one.toLowerCase(), ["SOFT_LIMIT", "HARD_LIMIT"])).toBe(true);
    expect(alike(paragraph, paragraph.replace("harbour", "port"), ["a.md", "copy of a.md"])).toBe(true);
  });

  it("are not texts of which half differs, nor short ones that differ at all", () => {
    expect(
      alike(
        paragraph,
        `${paragraph.slice(0, 1000)}${paragraph.slice(0, 1000).toLowerCase().replaceAll("e", "o")}`,
      ),
    ).toBe(false);
    expect(alike("Rotate the keys.", "Rotate the keyz.")).toBe(false);
    expect(alike(chinese, "今天天气很好，我们去公园散步，然后在湖边吃午饭，下午看了一部电影。")).toBe(false);
  });

  it("are not texts that begin alike and go on differently, however far behind", () => {
    const long = paragraph.repeat(4);
    expect(alike(`${long} Approved.`, `${long} Refused.`)).toBe(false);
    expect(alike(`${long} Approved.`, `${long} Approved.`)).toBe(true);
  });

  it("are not lines and headings, though they be equal, nor texts without letters", () => {
    for (const line of ["Rotate the keys.", "", "----", "TODO"]) expect(alike(line, line)).toBe(false);
  });
});
