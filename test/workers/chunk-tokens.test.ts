import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createTokenScale, estimateTokens } from "../../workers/chunk/tokens.ts";

describe("K7.4 token counts are estimated per script", () => {
  it.each([
    ["English", "The quick brown fox jumps over the lazy dog and runs away from the hunters.", 3.5, 5],
    ["Chinese", "公司的请假流程是什么需要提前多少天申请", 0.6, 1.1],
    ["Japanese", "東京都の天気予報を確認してください", 0.6, 1.1],
    ["Korean", "오늘 날씨가 매우 좋습니다", 0.6, 1.4],
    ["Russian", "Быстрая коричневая лиса прыгает через ленивую собаку", 2, 3.5],
    ["digits", "31415926535897932384", 1.8, 3.2],
    ["code", "if (a[i] !== b) { x += 1; }", 2, 3.5],
  ])("K7.4 %s has about the characters a token that tokenizers give it", (_, text, least, most) => {
    const ratio = text.length / estimateTokens(text);
    expect(ratio).toBeGreaterThanOrEqual(least);
    expect(ratio).toBeLessThanOrEqual(most);
  });

  it("K7.4 a long run of white space costs little", () => {
    expect(estimateTokens(" ".repeat(1000))).toBeLessThan(60);
  });

  it("an empty text has no tokens, any other one at least", () => {
    expect(estimateTokens("")).toBe(0);
    expect(estimateTokens(".")).toBe(1);
  });

  it("K7.4 the scale's two directions are inverse, in every part of a long text", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "binary", size: "max", maxLength: 3000 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (text, share) => {
          const scale = createTokenScale(text);
          const offset = Math.floor(text.length * share);
          const tokens = scale.at(offset);
          expect(scale.offsetAt(tokens)).toBe(offset);
          expect(scale.at(scale.offsetAt(tokens + 0.3))).toBeLessThanOrEqual(tokens + 0.3);
          expect(Math.ceil(scale.at(text.length))).toBe(text === "" ? 0 : estimateTokens(text));
        },
      ),
      { numRuns: 200 },
    );
  });
});
