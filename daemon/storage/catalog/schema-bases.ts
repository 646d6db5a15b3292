/**
 * K3 and K3.1: what the database itself refuses. A CHECK passes on NULL, so each compares with IS where NULL may come.
 * `fingerprint` names the chunk settings in force; `tally` counts the leaf items of a base by what they are (kept by
 * triggers on item), so that counting costs a few rows whatever the size of the base.
 */
export const basesSql = `
CREATE TABLE base (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL UNIQUE CHECK (trim(name, char(9, 10, 11, 12, 13, 32, 160)) = name AND name <> ''),
  embedding_model_id TEXT CHECK (embedding_model_id <> ''),
  dimensions INTEGER CHECK (dimensions > 0),
  status TEXT NOT NULL,
  error TEXT,
  chunk_size INTEGER NOT NULL CHECK (chunk_size > 0),
  chunk_overlap INTEGER NOT NULL CHECK (chunk_overlap >= 0 AND chunk_overlap < chunk_size),
  chunk_strategy TEXT NOT NULL CHECK (chunk_strategy IN ('structured', 'delimiter')),
  chunk_separator TEXT CHECK (chunk_separator <> ''),
  chunk_hard INTEGER NOT NULL CHECK (chunk_hard IN (0, 1)),
  threshold REAL CHECK (threshold BETWEEN 0 AND 1),
  document_count INTEGER CHECK (document_count > 0),
  rerank_model_id TEXT,
  file_processor_id TEXT,
  group_id TEXT,
  substring INTEGER NOT NULL CHECK (substring IN (0, 1)),
  fingerprint TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  CHECK ((embedding_model_id IS NULL) = (dimensions IS NULL)),
  CHECK (
    (status = 'completed' AND error IS NULL) OR
    (status = 'failed' AND error IS NOT NULL AND error IN ('missing_embedding_model', 'missing_vector_store'))
  ),
  CHECK (chunk_strategy = 'structured' OR chunk_separator IS NOT NULL)
) STRICT;
CREATE INDEX base_by_age ON base(created_at DESC, id);

CREATE TABLE tally (
  base_id TEXT NOT NULL REFERENCES base(id) ON DELETE CASCADE,
  phase TEXT NOT NULL CHECK (phase IN ('active', 'completed', 'failed')),
  fingerprint TEXT NOT NULL,
  items INTEGER NOT NULL,
  chunks INTEGER NOT NULL,
  PRIMARY KEY (base_id, phase, fingerprint)
) STRICT, WITHOUT ROWID;
`;
