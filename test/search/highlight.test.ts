import * as fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { createHighlighter } from "../../workers/search/highlight.ts";
import { createTokenizer } from "../../workers/search/tokenizer.ts";
import { planQuery } from "../../workers/words/query.ts";

const tokenizer = createTokenizer();
afterAll(() => tokenizer.close());

function marked(query: string, text: string): string {
  let out = "";
  let at = 0;
  for (const [start, end] of createHighlighter(planQuery(query) ?? [], tokenizer)([text])[0]!) {
    out += `${text.slice(at, start)}[${text.slice(start, end)}]`;
    at = end;
  }
  return out + text.slice(at);
}

describe("highlights", () => {
  it("mark each word that is the same to the index, whatever its ending, and no other", () => {
    const stems = ["ke", "key", "fl", "fly", "happ", "ey", "oscill", "Oscill", "dy", "é", "by"];
    const endings = ["", "y", "ies", "ing", "ying", "ed", "ation", "s", "ness", "ily"];
    const word = fc
      .tuple(fc.constantFrom(...stems), fc.constantFrom(...endings))
      .map((parts) => parts.join(""));
    fc.assert(
      fc.property(word, fc.array(word, { minLength: 1, maxLength: 8 }), (asked, said) => {
        const units = [{ kind: "word" as const, tokens: [asked] }];
        const [wanted, ...terms] = tokenizer.terms([asked, ...said]);
        const [ranges = []] = createHighlighter(units, tokenizer)([said.join(" | ")]);
        const expected = said.filter((_, at) => terms[at] === wanted);
        expect(ranges.map(([start, end]) => said.join(" | ").slice(start, end))).toEqual(expected);
      }),
      { numRuns: 300 },
    );
  });

  it.each([
    ["how do I rotate the keys", "Rotating a key; the keyboard.", "[Rotating] a [key]; the keyboard."],
    ["cafe", "Ein Café, CAFÉ", "Ein [Café], [CAFÉ]"],
    ["package-lock.json", "the package-lock.json file", "the [package]-[lock].[json] file"],
    ["C#", "C, C# and c#", "C, [C#] and [c#]"],
    [".NET", "on ASP.NET", "on ASP[.NET]"],
    ["令牌登录", "使用令牌登录系统", "使用[令牌登录]系统"],
    ["月", "正月和月光", "正[月]和[月]光"],
    ["executor", "struct DiffExecutor", "struct Diff[Executor]"],
    ["перехваты", "перехват мяча", "[перехват] мяча"],
    ["ภาษา", "เรียนภาษาไทย", "เรียน[ภาษา]ไทย"],
    ["हिन्दी", "यह हिन्दी है", "यह [हिन्दी] है"],
    ["xxxxxxxxxxxx", "a xxxxxxxxxxxx b", "a [xxxxxxxxxxxx] b"],
    ["𠮷野家", "東京の𠮷野家です", "東京の[𠮷野家]です"],
    ["keys", "𠮷 keys", "𠮷 [keys]"],
    ["keys", "nothing here", "nothing here"],
  ])("%s", (query, text, expected) => {
    expect(marked(query, text)).toBe(expected);
  });

  it("are in order, apart from each other and inside the text", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "binary" }),
        fc.string({ unit: "grapheme", maxLength: 60 }),
        (query, text) => {
          const [ranges = []] = createHighlighter(planQuery(query) ?? [], tokenizer)([text + query]);
          let last = -1;
          for (const [start, end] of ranges) {
            expect(start).toBeGreaterThan(last);
            expect(end).toBeGreaterThan(start);
            last = end;
          }
          expect(last).toBeLessThanOrEqual(text.length + query.length);
        },
      ),
    );
  });
});
