const MAX_CHARACTERS = 200;

/**
 * A tag as tags are compared: without `#`, case folded, in composed form, one space for many, levels parted by single
 * slashes. "" for what is none.
 */
export function foldTag(tag: string): string {
  const bare = tag
    .slice(0, 2 * MAX_CHARACTERS)
    .normalize("NFKC")
    .trim()
    .replace(/^#+/, "");
  const levels = bare
    .toLowerCase()
    .split("/")
    .map((level) => level.trim().replace(/\s+/gu, " "));
  return levels.filter(Boolean).join("/").slice(0, MAX_CHARACTERS);
}
