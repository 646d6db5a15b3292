/**
 * Version 4. Which model made a base's vectors (its fingerprint; NULL while nobody knows), and whether the model of that id
 * was another one when it was looked at last.
 */
export const version4Sql = `
ALTER TABLE base ADD COLUMN model_fingerprint TEXT;
ALTER TABLE base ADD COLUMN model_changed INTEGER NOT NULL DEFAULT 0 CHECK (model_changed IN (0, 1));
`;
