import { foldTag } from "../../../workers/words/tag.ts";
import type { Database } from "../sqlite.ts";

/** Tags of one item that are found; more are no tags any more. */
const MAX_TAGS = 500;

/** The tags that a reader found, folded, each once. */
export function tagsOf(metadata: Readonly<Record<string, unknown>>): string[] {
  const { tags } = metadata as { tags?: unknown };
  if (!Array.isArray(tags)) return [];
  const folded = tags.slice(0, MAX_TAGS).map((tag) => (typeof tag === "string" ? foldTag(tag) : ""));
  return [...new Set(folded)].filter(Boolean);
}

/** The item is found by these tags and no others. Must run in a transaction. */
export function setTags(database: Database, itemId: string, tags: readonly string[]): void {
  database.statement("DELETE FROM item_tag WHERE item_id = ?").run(itemId);
  const insert = database.statement("INSERT INTO item_tag (tag, item_id) VALUES (?, ?)");
  for (const tag of tags) insert.run(tag, itemId);
}

/** Of items that were read before tags were kept apart. */
export function fillTags(database: Database): void {
  const page = database.statement(
    `SELECT id, metadata FROM item WHERE id > ? AND metadata LIKE '%"tags":[%' ORDER BY id LIMIT 500`,
  );
  for (let last: string | undefined = ""; last !== undefined;) {
    const rows = page.all(last) as { id: string; metadata: string }[];
    for (const { id, metadata } of rows)
      setTags(database, id, tagsOf(JSON.parse(metadata) as Record<string, unknown>));
    last = rows.at(-1)?.id;
  }
}
