/** Reasons that are listed one by one. */
const MAX_WARNINGS = 20;

/** The first of many warnings, and how many more there are. */
export function fewWarnings(warnings: readonly string[]): string[] {
  if (warnings.length <= MAX_WARNINGS) return [...warnings];
  const more = warnings.length - MAX_WARNINGS;
  return [...warnings.slice(0, MAX_WARNINGS), `And ${more} more warnings of this kind.`];
}
