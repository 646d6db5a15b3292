import { packTexts } from "../latent/packed-texts.ts";
import type { SearchTasks } from "./contract.ts";
import type { IndexReader } from "./index-reader.ts";
import { decodeUnitJson } from "./unit-json.ts";
import { newestNumber } from "./units.ts";

type Task = SearchTasks["index.texts"];

/** A page ends here, so that searches wait no longer. */
const PAGE_MS = 10;
const NEXT = `
  SELECT n.number, u.title, u.locator_json AS json, t.text FROM unit_number AS n
  JOIN search_unit AS u ON u.unit_id = n.unit_id
  JOIN search_text AS t ON t.target_id = n.unit_id AND t.target_type = 'search_unit' AND t.kind = 'body'
  WHERE n.number > ? ORDER BY n.number LIMIT 1`;

interface Row {
  readonly number: number;
  readonly title: string;
  readonly json: string | null;
  readonly text: string;
}

/** Units of revisions that no search sees are among them: they may be seen a moment later. */
export function textPage(
  reader: IndexReader,
  { after, step, limit, maxCharacters }: Task["input"],
): Task["output"] {
  return reader.snapshot(() => {
    const numbers: number[] = [];
    const texts: string[] = [];
    const until = performance.now() + PAGE_MS;
    const newest = newestNumber(reader);
    let next: number | null = after;
    while (next !== null && texts.length < limit && (texts.length === 0 || performance.now() < until)) {
      const row = reader.statement(NEXT).get(next) as Row | undefined;
      if (row) {
        numbers.push(row.number);
        texts.push(latentText(row).slice(0, maxCharacters));
      }
      next = row && row.number < newest ? Math.max(row.number, next + step) : null;
    }
    return { numbers, page: packTexts(texts), next, newest };
  });
}

function latentText({ title, json, text }: Row): string {
  return [...new Set([title, ...decodeUnitJson(json).headings])].join("\n") + `\n${text}`;
}
