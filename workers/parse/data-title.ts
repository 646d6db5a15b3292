import { titleFrom } from "./title.ts";

/** What a file of data calls itself: at its top, or in the table that describes the rest. */
export function dataTitle(value: unknown): string | null {
  const fields = record(value);
  if (fields === null) return null;
  const own = titleFrom(fields["title"]) ?? titleFrom(fields["name"]);
  if (own !== null) return own;
  for (const key of ["info", "package", "project", "metadata"]) {
    const inner = record(fields[key]);
    const found = inner === null ? null : (titleFrom(inner["title"]) ?? titleFrom(inner["name"]));
    if (found !== null) return found;
  }
  return null;
}

function record(value: unknown): Readonly<Record<string, unknown>> | null {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : null;
}
