import { lstatSync, readdirSync, statSync, type Stats } from "node:fs";

/** Null when it is not there, or can't be seen: a folder above it may be a file, a loop of links, or another user's. */
export function statOf(path: string): Stats | null {
  return orNull(() => statSync(path));
}

/** As statOf, of a link itself. */
export function lstatOf(path: string): Stats | null {
  return orNull(() => lstatSync(path));
}

/** The names in a folder; none when it is not there or can't be read. */
export function namesIn(folder: string): string[] {
  return orNull(() => readdirSync(folder)) ?? [];
}

function orNull<T>(look: () => T): T | null {
  try {
    return look();
  } catch {
    // Whatever the reason: a check of its own says why the place can't be used.
    return null;
  }
}
