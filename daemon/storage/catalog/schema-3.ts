/**
 * Version 3. Items are found by their tags, folded as foldTag has it, without reading anybody's metadata. The table is read
 * from the tag; by item it is asked when the item is read again, or goes.
 */
export const version3Sql = `
CREATE TABLE item_tag (
  tag TEXT NOT NULL CHECK (tag <> ''),
  item_id TEXT NOT NULL REFERENCES item(id) ON DELETE CASCADE,
  PRIMARY KEY (tag, item_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX item_tag_by_item ON item_tag(item_id);
`;
