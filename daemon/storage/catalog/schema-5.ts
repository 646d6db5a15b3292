/**
 * Version 5. Tokens that open sessions: of a secret only its hash is kept. A base's grant outlives the base, so that the
 * session still hears that it was deleted; ids of bases are never given again.
 */
export const version5Sql = `
CREATE TABLE token (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL CHECK (name <> ''),
  secret_hash TEXT NOT NULL UNIQUE,
  all_bases INTEGER NOT NULL CHECK (all_bases IN (0, 1)),
  may_write INTEGER NOT NULL CHECK (may_write IN (0, 1)),
  created_at INTEGER NOT NULL,
  expires_at INTEGER
) STRICT;
CREATE INDEX token_by_age ON token(created_at DESC, id);

CREATE TABLE token_base (
  token_id TEXT NOT NULL REFERENCES token(id) ON DELETE CASCADE,
  base_id TEXT NOT NULL,
  PRIMARY KEY (token_id, base_id)
) STRICT, WITHOUT ROWID;
`;
