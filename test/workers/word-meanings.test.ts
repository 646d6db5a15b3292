import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import * as fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { locations } from "../../config/locations.ts";
import { readRelatedWords } from "../../workers/embed/related-words.ts";
import { loadStaticModel } from "../../workers/embed/static-model.ts";
import { loadWordMeanings } from "../../workers/embed/word-meanings.ts";

const files = locations.embeddedModel;
const model = loadStaticModel(files);
const related = readRelatedWords(files.relatedPath);
const meanings = loadWordMeanings(files);
const vocabulary = JSON.parse(readFileSync(files.vocabularyPath, "utf8")) as string[];
const folder = mkdtempSync(path.join(tmpdir(), "knowd-related-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const wordsNear = (word: string): string[] => {
  const list = related.of(word, model.placeOf(word));
  return [...(list?.places ?? [])].map((place) => vocabulary[place]!);
};
const find = (word: string): number => meanings.find(word, 0, word.length);
const nearness = (a: string, b: string): number => meanings.nearness(find(a), find(b));
/** As often as the word tells: its direction. */
const vectorOf = (word: string): Float64Array => {
  const vector = new Float64Array(meanings.dimensions);
  meanings.addTo(find(word), vector);
  return vector;
};

describe("related words", () => {
  it("are those of the list that was measured", () => {
    const sha256 = createHash("sha256").update(readFileSync(files.relatedPath)).digest("hex");
    expect(sha256).toBe("ceca9684c659e23deccb7f1ae76405a164f299cc4b9a129067fb22a3eccbd4a6");
  });

  it.each([
    ["physician", "doctor"],
    ["automobile", "car"],
    ["molars", "tooth"],
    ["snore", "sleep"],
  ])("%s has %s among them", (word, other) => {
    expect(wordsNear(word)).toContain(other);
  });

  it("are known of words that the model does not know, and of none that WordNet has not", () => {
    const rare = "unmelodious";
    expect([model.placeOf(rare), related.has(rare), wordsNear(rare).length > 0]).toEqual([null, true, true]);
    expect([related.has("zqxv"), related.of("zqxv", null), related.has("")]).toEqual([false, null, false]);
  });

  it("are words that the model knows, at least one and at most eight, each with a weight", () => {
    for (const [place, word] of vocabulary.entries()) {
      const list = related.of(word, place);
      if (!list) continue;
      expect(list.places.length).toBeLessThanOrEqual(8);
      expect(Math.max(...list.weights)).toBe(255);
      expect(Math.max(...list.places)).toBeLessThan(vocabulary.length);
    }
  });

  it("a file that was cut off or is another is refused by name", () => {
    const whole = readFileSync(files.relatedPath);
    const file = path.join(folder, "cut.bin");
    const lengths = fc.oneof(
      fc.integer({ min: 0, max: 20 }),
      fc.integer({ min: 0, max: whole.length - 20_000 }),
    );
    fc.assert(
      fc.property(lengths, (length) => {
        writeFileSync(file, whole.subarray(0, length));
        expect(() => readRelatedWords(file)).toThrow(/cut\.bin.*damaged/);
      }),
      { numRuns: 20 },
    );
    expect(() => readRelatedWords(files.modelPath)).toThrow("damaged");
    expect(() => readRelatedWords(path.join(folder, "none.bin"))).toThrow("ENOENT");
  });
});

describe("what words mean", () => {
  it("brings words together that are said to mean the same, and leaves others apart", () => {
    const alone = (a: string, b: string): number =>
      model.embed(a).reduce((sum, value, at) => sum + value * model.embed(b)[at]!, 0);
    for (const [a, b] of [
      ["hiccups", "diaphragm"],
      ["molars", "tooth"],
      ["wage", "pay"],
    ] as const)
      expect(nearness(a, b)).toBeGreaterThan(alone(a, b) + 0.1);
    expect(nearness("molars", "invoice")).toBeLessThan(0.2);
  });

  it("of a form that nobody knows are those of the word that it is a form of", () => {
    const forms = [
      ["hiccupped", "hiccup"],
      ["tooths", "tooth"],
      ["rehashes", "rehash"],
    ] as const;
    for (const [form, word] of forms) {
      expect([form, model.placeOf(form), related.has(form)]).toEqual([form, null, false]);
      expect(vectorOf(form)).toEqual(vectorOf(word));
    }
    expect(meanings.weightOf(find("unmelodious"))).toBe(1);
  });

  it("are as long as the word tells, and none for what is not English", () => {
    for (const word of ["car", "snore", "unmelodious", "zqxvw"]) {
      expect(Math.hypot(...vectorOf(word))).toBeCloseTo(meanings.weightOf(find(word)), 5);
      expect(nearness(word, word)).toBeCloseTo(1, 5);
    }
    expect(["car", "tooths", "unmelodious", "zqxvw"].map((word) => meanings.isWord(find(word)))).toEqual([
      true,
      true,
      true,
      false,
    ]);
    const none = ["汽车", "дом", "", "a1".repeat(500)];
    expect(none.map(find)).toEqual([-1, -1, -1, -1]);
  });

  it("are found where they stand in a text", () => {
    expect(meanings.find("the car of", 4, 7)).toBe(find("car"));
    expect(meanings.find("the unmelodious", 4, 15)).toBe(find("unmelodious"));
  });

  it("make room for others, and are the same when they are found again", () => {
    const before = vectorOf("snore");
    const rounds = 6;
    for (let round = 0; round < rounds; round++) {
      meanings.begin(8000);
      for (let at = 0; at < 8000; at++) find(vocabulary[round * 8000 + at]!);
      expect(vectorOf("snore")).toEqual(before);
    }
  });
});
