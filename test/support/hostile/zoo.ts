/** Hostile files by name. Made when asked for: some are large. */
export type Zoo = Readonly<Record<string, () => string | Uint8Array>>;
