import type { Token } from "../../../rpc/contract/sessions.ts";
import type { CatalogCore } from "./core.ts";
import { ageCursor, ageKeyOf, pageOf, rowsToAsk } from "./cursor.ts";
import type { NewToken, TokenStore } from "./tokens-contract.ts";

const LIST = "tokens";
const COLUMNS = `id, name, all_bases AS allBases, may_write AS mayWrite, created_at AS createdAt, expires_at AS expiresAt`;

interface TokenRow {
  readonly id: string;
  readonly name: string;
  readonly allBases: 0 | 1;
  readonly mayWrite: 0 | 1;
  readonly createdAt: number;
  readonly expiresAt: number | null;
}

export function openTokenStore(core: CatalogCore): TokenStore {
  const toToken = ({ allBases, mayWrite, ...row }: TokenRow): Token => {
    const baseIds = core
      .sql("SELECT base_id FROM token_base WHERE token_id = ? ORDER BY base_id")
      .pluck()
      .all(row.id) as string[];
    return { ...row, baseIds: allBases === 1 ? null : baseIds, write: mayWrite === 1 };
  };
  const one = (where: "id = ?" | "secret_hash = ?", value: string): Token | undefined => {
    const row = core.sql(`SELECT ${COLUMNS} FROM token WHERE ${where}`).get(value) as TokenRow | undefined;
    return row && toToken(row);
  };
  return {
    create: (input) => core.transaction(() => createToken(core, input)),
    get: (id) => one("id = ?", id),
    bySecretHash: (hash) => one("secret_hash = ?", hash),
    list(page) {
      const { createdAt, id } = ageKeyOf(LIST, page);
      const rows = core
        .sql(
          `SELECT ${COLUMNS} FROM token WHERE created_at <= ? AND (created_at < ? OR id > ?)
           ORDER BY created_at DESC, id LIMIT ?`,
        )
        .all(createdAt, createdAt, id, rowsToAsk(page)) as TokenRow[];
      return pageOf(rows, page, toToken, (last) => ageCursor(LIST, last));
    },
    remove: (id) => core.transaction(() => core.sql("DELETE FROM token WHERE id = ?").run(id).changes > 0),
    takeOut: (id, baseIds) =>
      core.transaction(() => {
        const remove = core.sql("DELETE FROM token_base WHERE token_id = ? AND base_id = ?");
        for (const baseId of baseIds) remove.run(id, baseId);
      }),
  };
}

function createToken(core: CatalogCore, input: NewToken): Token {
  const { name, secretHash, baseIds, write, expiresAt } = input;
  const [id, createdAt] = [core.newId(), core.now()];
  core
    .sql(
      `INSERT INTO token (id, name, secret_hash, all_bases, may_write, created_at, expires_at)
       VALUES (?, ?, ?, ?, ?, ?, ?)`,
    )
    .run(id, name, secretHash, baseIds === null ? 1 : 0, write ? 1 : 0, createdAt, expiresAt);
  const granted = baseIds && [...new Set(baseIds)].sort();
  const grant = core.sql("INSERT INTO token_base (token_id, base_id) VALUES (?, ?)");
  for (const baseId of granted ?? []) grant.run(id, baseId);
  return { id, name, baseIds: granted, write, createdAt, expiresAt };
}
