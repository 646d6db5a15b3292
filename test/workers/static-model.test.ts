import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import * as fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { embedTexts, loadStaticModel } from "../../workers/embed/static-model.ts";

const folder = fileURLToPath(new URL("../../workers/embed/model/", import.meta.url));
const files = {
  modelPath: join(folder, "static-en-128.bin"),
  vocabularyPath: join(folder, "static-en-128.vocab.json"),
};
const model = loadStaticModel(files);
const temporary = mkdtempSync(join(tmpdir(), "knowd-model-"));
afterAll(() => rmSync(temporary, { recursive: true, force: true }));

const dot = (a: Float32Array, b: Float32Array): number =>
  a.reduce((sum, value, at) => sum + value * b[at]!, 0);
const cosine = (a: string, b: string): number => dot(model.embed(a), model.embed(b));

/** The model's description, written down as plainly as possible. */
function describedEmbedding(): (text: string) => number[] {
  const bytes = readFileSync(files.modelPath);
  const words = JSON.parse(readFileSync(files.vocabularyPath, "utf8")) as string[];
  const rows = new Map(words.map((word, row) => [word, row]));
  const valueAt = (row: number, at: number): number =>
    bytes.readFloatLE(row * 4) * bytes.readInt8(68_192 * 4 + row * 128 + at);
  const fnv1a = (gram: string): number => {
    let hash = 0x811c9dc5n;
    for (const character of gram) {
      hash = ((hash ^ BigInt(character.codePointAt(0)!)) * 0x01000193n) & 0xffffffffn;
    }
    return Number(hash % 8192n);
  };
  const rowsOf = (word: string): number[] => {
    const row = rows.get(word);
    if (row !== undefined) return [row];
    const characters = Array.from(word);
    if (characters.some((one) => !(one < "\u0250" || (one >= "\u1e00" && one < "\u1f00")))) return [];
    const part = ["<", ...characters.slice(0, 24), ">"];
    return part.slice(3).map((_, at) => 60_000 + fnv1a(part.slice(at, at + 4).join("")));
  };
  return (text) => {
    const used = [...text.toLowerCase().matchAll(/[\p{L}\p{N}]+/gu)].flatMap(([word]) => rowsOf(word));
    const sum = Array.from({ length: 128 }, (_, at) =>
      used.reduce((total, row) => total + valueAt(row, at), 0),
    );
    const norm = Math.hypot(...sum);
    return sum.map((value) => (norm === 0 ? 0 : value / norm));
  };
}

describe("the model's files", () => {
  it.each([
    [files.modelPath, "13e30b4d8591ef720134ba290500703526e1d6a8f4f30a9873bdb7df26007788"],
    [files.vocabularyPath, "87ec1450250aedfa776432f3f38b6346a7d8bd990d4ebb03684f338688a3e6ac"],
  ])("%s is the file that was measured", (path, expected) => {
    expect(createHash("sha256").update(readFileSync(path)).digest("hex")).toBe(expected);
  });

  it("are refused, by name, when they are cut short or are something else", () => {
    const short = join(temporary, "short.bin");
    writeFileSync(short, readFileSync(files.modelPath).subarray(0, 9_000_000));
    const list = join(temporary, "list.json");
    writeFileSync(list, '["the", "of"]');
    expect(() => loadStaticModel({ ...files, modelPath: short })).toThrow(/short\.bin.*damaged/);
    expect(() => loadStaticModel({ ...files, vocabularyPath: list })).toThrow(/list\.json.*damaged/);
  });

  it("are read once in a thread", () => {
    expect(loadStaticModel({ ...files })).toBe(model);
  });
});

describe("text to vector", () => {
  const described = describedEmbedding();
  const farthest = (text: string): number => {
    const expected = described(text);
    return Math.max(...Array.from(model.embed(text), (value, at) => Math.abs(value - expected[at]!)));
  };

  it.each([
    "",
    "the",
    "Rotating the signing keys every 90 days, as README.md says.",
    "kubeadm's xmlrpc2-flüßchenähnlich naïveté",
    `${"antidisestablishmentarianism".repeat(3)} of`,
    "İstanbul ﬁne ＡＢＣ x² ½ 𝔘nicode 日本語 русский the",
  ])("follows the description for %j", (text) => expect(farthest(text)).toBeLessThan(1e-6));

  it("follows the description for any text", () => {
    const word = fc.oneof(
      fc.constantFrom("the", "of", "server", "Database", "keys", "don't", "snake_case", "10kB", "é"),
      fc.string({ unit: "binary", maxLength: 30 }),
      fc.string({ unit: fc.constantFrom("a", "b", "c", "x", "0", "9", "ß"), maxLength: 40 }),
    );
    const text = fc.array(word, { maxLength: 12 }).map((words) => words.join(" "));
    fc.assert(
      fc.property(text, (any) => {
        expect(farthest(any)).toBeLessThan(1e-6);
      }),
      { numRuns: 200 },
    );
  });

  it.each(["", " \n", "?!…", "日本語の文書", "한국어 문서", "документы", "وثائق", "a\u{20000}b"])(
    "K9.5 %j holds nothing that the model knows of, and gives the zero vector",
    (text) => expect(model.embed(text).every((value) => value === 0)).toBe(true),
  );

  it("has length one for everything else", () => {
    for (const text of ["house", "zzqxv", "the keys of the house"]) {
      expect(dot(model.embed(text), model.embed(text))).toBeCloseTo(1, 5);
    }
  });

  it("gives a batch the vectors that its texts have alone", () => {
    const texts = ["first things first", "", "второй", "a third one"];
    const { dimensions, vectors } = embedTexts({ ...files, texts });
    expect(dimensions).toBe(128);
    texts.forEach((text, at) => expect(vectors.slice(at * 128, at * 128 + 128)).toEqual(model.embed(text)));
  });
});

describe("what the vectors are good for", () => {
  const pairs: readonly (readonly [string, string])[] = [
    [
      "how do I sign in when I forgot my password",
      "Recovering access to a locked account: reset your credentials by mail",
    ],
    ["the computer is slow", "Improving performance of a machine that responds sluggishly"],
    ["make a copy of all data every night", "Scheduled backups are taken daily at midnight"],
    ["recipe for a chocolate cake", "Bake the cocoa sponge in the oven with sugar, butter and flour"],
    ["buying a house with a loan", "Mortgage rates and home purchase financing from your bank"],
    [
      "the doctor prescribed medicine for the pain",
      "Patients receive drugs from the physician to relieve aches",
    ],
    ["cars that run on batteries", "Electric vehicles and their charging range"],
    ["the war ended with a peace agreement", "A treaty was signed after years of fighting between armies"],
    ["children learn to read at school", "Literacy education for pupils in the classroom"],
    ["the football team won the match", "Players celebrated the club's victory in the league game"],
    ["removing rows from a table", "The DELETE statement erases records of a database"],
    ["running several tasks at the same time", "Concurrent execution with threads and parallel processes"],
    ["a storm with heavy rain is coming", "Weather forecast: thunder, wind and flooding expected"],
    ["planting vegetables in spring", "Gardeners sow tomato and carrot seeds in soil when frost is over"],
    ["the plane was late", "Flight delays at the airport leave passengers waiting"],
    ["he plays the guitar in a band", "Musicians perform songs on stage with drums and bass"],
  ];

  it("ranks the paraphrase first for at least 13 of 16 sentences that share almost no word with it", () => {
    const best = pairs.filter(([query], index) => {
      const scores = pairs.map(([, text]) => cosine(query, text));
      return scores.indexOf(Math.max(...scores)) === index;
    });
    expect(best.length).toBeGreaterThanOrEqual(13);
  });

  it("sees a misspelt or compound word near the words it is made of", () => {
    expect(cosine("misconfigurations", "configuration errors")).toBeGreaterThan(
      cosine("misconfigurations", "spring flowers"),
    );
  });
});
