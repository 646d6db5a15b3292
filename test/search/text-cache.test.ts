import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openIndexReader } from "../../workers/search/index-reader.ts";
import { createTextCache } from "../../workers/search/text-cache.ts";
import { buildIndex } from "../support/build-index.ts";
import { temporaryFolder } from "../support/temporary.ts";

/** An index of so many texts of 300,000 letters each. */
function openTexts(count: number) {
  const file = path.join(temporaryFolder(), "index.sqlite");
  const index = buildIndex(file);
  const texts = Array.from({ length: count }, (_, at) => `${at} `.repeat(300_000).slice(0, 300_000));
  texts.forEach((text, at) => index.add({ id: `${at}`, path: `${at}.md`, chunks: [text] }));
  index.close();
  const reader = openIndexReader("base", file);
  onTestFinished(() => reader.close());
  const hashes = texts.map(
    (_, at) =>
      reader
        .statement("SELECT current_content_hash FROM material WHERE material_id = ?")
        .pluck()
        .get(`${at}`) as string,
  );
  return { reader, texts, hashes };
}

describe("the cache of texts", () => {
  it("reads ahead some texts and not all, and then has them without the index", () => {
    const { reader, texts, hashes } = openTexts(8);
    const cache = createTextCache(100_000_000);
    expect(cache.ahead(reader, hashes)).toBe(2);
    const nobody = () => {
      throw new Error("the index was asked");
    };
    expect(hashes.slice(0, 2).map((hash) => cache.get(nobody, hash))).toEqual(texts.slice(0, 2));
    expect(() => cache.get(nobody, hashes[2]!)).toThrow("the index was asked");
    for (let passed = 2; passed < 8; passed += 2) expect(cache.ahead(reader, hashes.slice(passed))).toBe(2);
    expect(hashes.map((hash) => cache.get(nobody, hash))).toEqual(texts);
    expect(cache.ahead(reader, hashes)).toBe(8);
  });

  it("what has no room is at hand until it reads on, and is read again then", () => {
    const { reader, texts, hashes } = openTexts(6);
    const cache = createTextCache(400_000);
    const asked: string[] = [];
    const get = (at: number) =>
      cache.get(() => {
        asked.push(hashes[at]!);
        return reader;
      }, hashes[at]!);
    cache.ahead(reader, hashes.slice(0, 4));
    expect([get(0), get(1)]).toEqual(texts.slice(0, 2));
    expect(asked).toEqual([]);
    cache.ahead(reader, hashes.slice(2, 6));
    expect([get(0), get(2), get(3)]).toEqual([texts[0], texts[2], texts[3]]);
    expect(asked).toEqual([]);
    expect(get(1)).toBe(texts[1]);
    expect(asked).toEqual([hashes[1]]);
  });

  it("passes over what the index has not any more", () => {
    const { reader, hashes } = openTexts(1);
    const cache = createTextCache(400_000);
    expect(cache.ahead(reader, ["gone", hashes[0]!, "gone too"])).toBe(3);
    expect(cache.get(() => reader, "gone")).toBeNull();
  });
});
