import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { parseTree, textContent } from "../../workers/parse/html/tree.ts";
import { parseAs, textOfParts } from "../support/parse.ts";

const folder = fileURLToPath(new URL("../../../shared/cases/html", import.meta.url));
const missing = !existsSync(folder);
if (missing) console.warn("The pages of ../shared/cases are not here: their tests are skipped.");

/** Words that are found in the page's text, and words of it that are not the article's, by how often they stand there. */
function compare(expected: string, found: string): { foundShare: number; noiseShare: number } {
  const wanted = counted(expected);
  const got = counted(found);
  let total = 0;
  let hits = 0;
  for (const [word, count] of wanted) {
    total += count;
    hits += Math.min(count, got.get(word) ?? 0);
  }
  let all = 0;
  for (const count of got.values()) all += count;
  return { foundShare: hits / total, noiseShare: (all - hits) / all };
}

function counted(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])
    counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

describe.skipIf(missing)("web pages of the hard inputs", () => {
  it.each(missing ? [] : readdirSync(folder))("html/%s: the article's text and title", async (name) => {
    const read = (file: string): string => readFileSync(join(folder, name, file), "utf8");
    const document = await parseAs(`html/${name}/source.html`, read("source.html"));
    const expected = textContent(parseTree(read("expected.html")).root);
    const { foundShare, noiseShare } = compare(expected, textOfParts(document));
    expect(foundShare).toBeGreaterThanOrEqual(0.95);
    expect(noiseShare).toBeLessThan(0.35);
    const { title } = JSON.parse(read("expected-metadata.json")) as { title: string };
    expect(document.title ?? "").toBe(title);
  });
});
