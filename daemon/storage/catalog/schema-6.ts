/**
 * Version 6. What the captures of URLs came from: how the file was made, the address after redirects with what its server
 * said of that answer, the hash of what was kept, and when it is fetched again (NULL: when somebody asks for it).
 */
export const version6Sql = `
CREATE TABLE snapshot (
  item_id TEXT PRIMARY KEY REFERENCES item(id) ON DELETE CASCADE,
  form TEXT NOT NULL CHECK (form IN ('page', 'file')),
  url TEXT NOT NULL,
  title TEXT,
  allow_private INTEGER NOT NULL CHECK (allow_private IN (0, 1)),
  answered_url TEXT NOT NULL,
  etag TEXT,
  last_modified TEXT,
  hash TEXT NOT NULL,
  warnings TEXT NOT NULL,
  refresh_every_ms INTEGER CHECK (refresh_every_ms > 0),
  refresh_at INTEGER CHECK ((refresh_at IS NULL) = (refresh_every_ms IS NULL)),
  failures INTEGER NOT NULL DEFAULT 0 CHECK (failures >= 0)
) STRICT;
CREATE INDEX snapshot_due ON snapshot(refresh_at) WHERE refresh_at IS NOT NULL;
`;
