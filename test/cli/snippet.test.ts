import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bestLine, markSnippet, snippetOf } from "../../rpc/cli/snippet.ts";

const mark = (matched: string): string => `[${matched}]`;

describe("snippet", () => {
  it("shows a short passage whole, on one line, with its matches marked", () => {
    const text = "Rotate the\n\n  keys every month.";
    const snippet = snippetOf(
      text,
      [
        [0, 6],
        [14, 18],
      ],
      200,
    );
    expect(markSnippet(snippet, mark)).toBe("[Rotate] the [keys] every month.");
  });

  it("cuts a long passage around the most matches and says that it was cut", () => {
    const text = `${"before ".repeat(100)}the keys and the keys again ${"after ".repeat(100)}`;
    const at = text.indexOf("keys");
    const again = text.indexOf("keys", at + 1);
    const shown = markSnippet(
      snippetOf(
        text,
        [
          [at, at + 4],
          [again, again + 4],
        ],
        120,
      ),
      mark,
    );
    expect(shown).toContain("the [keys] and the [keys] again");
    expect(shown).toMatch(/^….*…$/);
  });

  it("marks exactly the matched text, wherever matches and white space lie", () => {
    const words = fc.array(fc.constantFrom("key", " ", "\n", "rotate", "  ", "x", "🔑"), {
      minLength: 1,
      maxLength: 200,
      size: "max",
    });
    fc.assert(
      fc.property(words, fc.integer({ min: 20, max: 300 }), (parts, width) => {
        const text = parts.join("");
        const spans = [...text.matchAll(/key/g)].map((found) => [found.index, found.index + 3] as const);
        const snippet = snippetOf(text, spans, width);
        for (const [start, end] of snippet.spans) expect(snippet.text.slice(start, end)).toBe("key");
        expect(snippet.text).not.toMatch(/\s\s|\n|\p{Surrogate}/u);
      }),
    );
  });

  it("names the line with most matches, the first of equals, and the first line when nothing matched", () => {
    const text = "# Keys\n\n## Rotation\n\nTo rotate the keys, rotate them.\nkeys";
    const spans = [...text.matchAll(/keys|rotat\w*/gi)].map(
      (found) => [found.index, found.index + found[0].length] as const,
    );
    expect(bestLine(text, spans)).toBe(4);
    expect(
      bestLine("a key\nno\na key", [
        [2, 5],
        [11, 14],
      ]),
    ).toBe(0);
    expect(bestLine("nothing\nhere", [])).toBe(0);
  });
});
