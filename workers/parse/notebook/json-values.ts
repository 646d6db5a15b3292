/** Reads values of unknown JSON; what has another form than asked for counts as absent. */
export type JsonRecord = Readonly<Record<string, unknown>>;

export function recordOf(value: unknown): JsonRecord {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonRecord) : {};
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function stringOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Text is written as one string or as its lines. */
export function linesOf(value: unknown): string {
  return Array.isArray(value) ? value.map(stringOf).join("") : stringOf(value);
}
