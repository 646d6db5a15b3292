import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createLineSplitter } from "../../daemon/runtime/lines.ts";

test("however the text is cut, the same lines come out", () => {
  const texts = fc.array(fc.stringMatching(/^[ab\n ]{0,12}$/), { maxLength: 8 });
  fc.assert(
    fc.property(texts, (pieces) => {
      const lines: string[] = [];
      const splitter = createLineSplitter((line) => lines.push(line));
      for (const piece of pieces) splitter.push(piece);
      splitter.end();
      const whole = pieces.join("").split("\n");
      expect(lines).toEqual(whole.map((line) => line.trimEnd()).filter((line) => line !== ""));
    }),
  );
});

test("a line that never ends is handed over in bounded pieces", () => {
  const lines: string[] = [];
  const splitter = createLineSplitter((line) => lines.push(line), 4);
  splitter.push("abcdefghi");
  splitter.end();
  expect(lines).toEqual(["abcd", "efgh", "i"]);
});

test("a long line comes in bounded pieces, however it is handed in", () => {
  const lines: string[] = [];
  const splitter = createLineSplitter((line) => lines.push(line), 4);
  splitter.push("ab\nabcdefghi\n");
  expect(lines).toEqual(["ab", "abcd", "efgh", "i"]);
});
