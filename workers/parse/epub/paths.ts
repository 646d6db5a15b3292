import type { Archive } from "../archive/zip.ts";

/** Finds the files of a book, however their names are written in it. */
export interface BookPaths {
  /** The name of the entry that `href`, seen from the file `from`, leads to; null when there is none. */
  resolve(from: string, href: string): string | null;
}

export interface Target {
  /** Without fragment and query, still as it is written. */
  readonly path: string;
  /** Null when there is none. */
  readonly fragment: string | null;
}

export function createPaths(archive: Archive): BookPaths {
  const exact = new Set(archive.names);
  const folded = new Map<string, string>();
  for (const name of archive.names) if (!folded.has(foldName(name))) folded.set(foldName(name), name);
  return {
    resolve(from, href) {
      const { path } = splitTarget(href);
      if (path === "") return from;
      const folder = from.slice(0, from.lastIndexOf("/") + 1);
      const joined = join(path.startsWith("/") ? path : folder + path);
      // The exact name goes first: twins that differ in case alone are two files.
      for (const candidate of [percentDecoded(joined), joined]) if (exact.has(candidate)) return candidate;
      return (
        folded.get(foldName(percentDecoded(joined))) ??
        folded.get(foldName(percentDecoded(join(path)))) ??
        null
      );
    },
  };
}

export function splitTarget(href: string): Target {
  const hash = href.indexOf("#");
  const path = (hash === -1 ? href : href.slice(0, hash)).split("?")[0] ?? "";
  const fragment = hash === -1 ? "" : percentDecoded(href.slice(hash + 1));
  return { path: path.trim(), fragment: fragment === "" ? null : fragment };
}

function join(path: string): string {
  const segments: string[] = [];
  for (const segment of path.replaceAll("\\", "/").split("/")) {
    if (segment === "..") segments.pop();
    else if (segment !== "" && segment !== ".") segments.push(segment);
  }
  return segments.join("/");
}

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A lone percent sign stands for itself.
    return text;
  }
}

function foldName(name: string): string {
  return name.replaceAll("\\", "/").replace(/^\/+/, "").normalize("NFC").toLowerCase();
}
