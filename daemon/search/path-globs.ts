import type { ItemPlace } from "../storage/catalog/item-filter.ts";
import { compileGlob } from "./glob.ts";

interface PathGlob {
  /** `!` before it: what fits is left out. */
  readonly negated: boolean;
  readonly foldersOnly: boolean;
  readonly fits: (path: string) => boolean;
}

/**
 * Whether an item passes globs in the meaning of ripgrep's -g: one with a slash that is not its last character is relative
 * to the root, any other fits a name at any depth; the last glob that fits decides; where one stands without `!`, what no
 * glob fits is left out, and what lies in a folder that is left out is too. Roots are the base and the watched folder in
 * it; a glob that begins with a slash is tried against the absolute path as well.
 */
export function compilePathGlobs(
  globs: readonly string[],
): (item: Pick<ItemPlace, "conceptId" | "path">) => boolean {
  const relative = globs.map((glob) => pathGlob(glob, false));
  const absolute = globs.flatMap((glob) => (/^!?\//.test(glob) ? [pathGlob(glob, true)] : []));
  const hasWanted = globs.some((glob) => !glob.startsWith("!"));
  return ({ conceptId, path }) => {
    const verdicts = rootedPaths(conceptId, path).map((rooted) => verdictOf(relative, rooted));
    if (path !== null && absolute.length > 0) verdicts.push(verdictOf(absolute, path));
    if (verdicts.includes("out")) return false;
    return verdicts.includes("in") || !hasWanted;
  };
}

/** Of a watched file, whose first folder in the base stands for the watched one, also its path in that. */
function rootedPaths(conceptId: string, path: string | null): string[] {
  const inSource = conceptId.slice(conceptId.indexOf("/") + 1);
  return path === null || inSource === conceptId ? [conceptId] : [conceptId, inSource];
}

function pathGlob(glob: string, isAbsolute: boolean): PathGlob {
  const negated = glob.startsWith("!");
  const plain = negated ? glob.slice(1) : glob;
  const foldersOnly = plain.endsWith("/");
  const pattern = foldersOnly ? plain.slice(0, -1) : plain;
  const isRooted = pattern.startsWith("/") && !isAbsolute;
  const fits = compileGlob(isRooted ? pattern.slice(1) : pattern);
  // Behind a slash that was taken away there may be none left, and yet only the root is meant.
  const inRoot = isRooted && !pattern.slice(1).includes("/");
  return { negated, foldersOnly, fits: inRoot ? (path) => !path.includes("/") && fits(path) : fits };
}

function verdictOf(globs: readonly PathGlob[], path: string): "in" | "out" | "open" {
  for (let slash = path.indexOf("/", 1); slash >= 0; slash = path.indexOf("/", slash + 1)) {
    if (lastThatFits(globs, path.slice(0, slash), true)?.negated === true) return "out";
  }
  const last = lastThatFits(globs, path, false);
  return last === undefined ? "open" : last.negated ? "out" : "in";
}

function lastThatFits(globs: readonly PathGlob[], path: string, isFolder: boolean): PathGlob | undefined {
  return globs.findLast((glob) => (isFolder || !glob.foldersOnly) && glob.fits(path));
}
