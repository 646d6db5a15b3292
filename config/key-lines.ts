/** Names of tables and settings; a number counts entries of a list, from 0. */
export type KeyPath = readonly (string | number)[];

const header = /^\s*\[(\[)?\s*([^\]]+?)\s*\]?\]\s*(?:#.*)?$/;
const assignment = /^\s*([A-Za-z0-9_."'-]+(?:\s*\.\s*[A-Za-z0-9_"'-]+)*)\s*=/;

/**
 * The line, from 1, where a TOML file sets a key; else the line of the nearest table around it; null when neither is found.
 * A plain scan for error messages: it does not see keys inside inline tables.
 */
export function lineOfTomlKey(text: string, key: KeyPath): number | null {
  const wanted = key.join(".");
  const entries = new Map<string, number>();
  let table = "";
  let best: { length: number; line: number } | null = null;
  for (const [index, line] of text.split("\n").entries()) {
    const found = header.exec(line);
    const set = found ? null : assignment.exec(line);
    if (!found && !set) continue;
    const name = bare((found?.[2] ?? set?.[1])!);
    if (found) {
      const entry = (entries.get(name) ?? -1) + 1;
      if (found[1] !== undefined) entries.set(name, entry);
      table = found[1] === undefined ? name : `${name}.${entry}`;
    }
    const here = found || table === "" ? (found ? table : name) : `${table}.${name}`;
    const matches = wanted === here || wanted.startsWith(`${here}.`);
    if (matches && here.length > (best?.length ?? 0)) best = { length: here.length, line: index + 1 };
  }
  return best?.line ?? null;
}

/** The same for JSON: the names of the path are looked for one after the other. */
export function lineOfJsonKey(text: string, key: KeyPath): number | null {
  let at = -1;
  for (const name of key) {
    if (typeof name === "number") continue;
    const next = text.indexOf(JSON.stringify(name), at + 1);
    if (next === -1) break;
    at = next;
  }
  return at === -1 ? null : text.slice(0, at).split("\n").length;
}

function bare(name: string): string {
  return name
    .split(".")
    .map((part) => part.trim().replace(/^(["'])(.*)\1$/, "$2"))
    .join(".");
}
