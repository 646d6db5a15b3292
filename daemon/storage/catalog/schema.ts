import type { Migration } from "../sqlite.ts";
import { fillTags } from "./item-tags.ts";
import { version2Sql } from "./schema-2.ts";
import { version3Sql } from "./schema-3.ts";
import { version4Sql } from "./schema-4.ts";
import { version5Sql } from "./schema-5.ts";
import { version6Sql } from "./schema-6.ts";
import { basesSql } from "./schema-bases.ts";
import { itemsSql } from "./schema-items.ts";
import { jobsSql } from "./schema-jobs.ts";
import { sourcesSql } from "./schema-sources.ts";

/** "kcat" in ASCII. */
export const CATALOG_APPLICATION_ID = 0x6b_63_61_74;

/** Changes kept for clients that come back; older ones are pruned, and such a client reads the lists again. */
export const CHANGES_KEPT = 100_000;

const ownSql = `
CREATE TABLE catalog_state (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  closed_cleanly INTEGER NOT NULL CHECK (closed_cleanly IN (0, 1))
);
INSERT INTO catalog_state (id, closed_cleanly) VALUES (1, 1);

CREATE TABLE change (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  at INTEGER NOT NULL,
  entity TEXT NOT NULL CHECK (entity IN ('base', 'item', 'source', 'job')),
  action TEXT NOT NULL CHECK (action IN ('created', 'updated', 'deleted')),
  entity_id ANY NOT NULL,
  base_id TEXT,
  status TEXT
) STRICT;
`;

/** Append only: a step that has shipped is never edited, nor is the text it is made of. */
export const catalogMigrations: readonly Migration[] = [
  { version: 1, sql: basesSql + itemsSql + sourcesSql + jobsSql + ownSql },
  { version: 2, sql: version2Sql },
  { version: 3, sql: version3Sql, fill: fillTags },
  { version: 4, sql: version4Sql },
  { version: 5, sql: version5Sql },
  { version: 6, sql: version6Sql },
];
