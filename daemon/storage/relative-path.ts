import nodePath, { type PlatformPath } from "node:path";
import { KnowdError } from "../runtime/errors.ts";

/** The folder of a base that holds its index, and is never material. */
const CONTROL_FOLDER = ".cherry";
/** What one name may have in bytes on the file systems we know. */
export const MAX_NAME_BYTES = 255;

/**
 * K2.2: a relative path in its normal form, POSIX separators. Throws PATH_INVALID, with the reason, for a path that is
 * empty, absolute, has a NUL, names the root itself, climbs out of it, or begins with the control folder.
 */
export function checkRelativePath(relativePath: string): string {
  const normal = normalForm(relativePath);
  const reason = refusal(relativePath, normal);
  if (reason !== null) throw new KnowdError("PATH_INVALID", { path: relativePath, reason });
  return normal;
}

function normalForm(relativePath: string): string {
  const normal = nodePath.posix.normalize(relativePath);
  return normal.length > 1 && normal.endsWith("/") ? normal.slice(0, -1) : normal;
}

function refusal(given: string, normal: string): string | null {
  if (given === "") return "it is empty";
  if (given.includes("\0")) return "it has a NUL character";
  if (normal.startsWith("/")) return "it is absolute";
  if (normal === ".") return "it names the root itself";
  if (normal === ".." || normal.startsWith("../")) return "it climbs out of the root";
  if (normal.split("/", 1)[0] === CONTROL_FOLDER) return `${CONTROL_FOLDER} is the control folder`;
  return null;
}

/**
 * The host's own view of K2.2: the absolute path of `relativePath` below `root`. Throws PATH_INVALID for what the platform
 * resolves to the root, above it, or to another drive. `platform` is node:path's, or its win32 twin in tests.
 */
export function resolveBelow(root: string, relativePath: string, platform: PlatformPath = nodePath): string {
  const resolved = platform.resolve(root, checkRelativePath(relativePath));
  if (isBelow(root, resolved, platform)) return resolved;
  throw new KnowdError("PATH_INVALID", {
    path: relativePath,
    reason: "it leads out of the root on this system",
  });
}

/** Whether an absolute path lies below the root; for K2.3 both are real paths, with every link followed. */
export function isBelow(root: string, absolutePath: string, platform: PlatformPath = nodePath): boolean {
  const way = platform.relative(root, absolutePath);
  return way !== "" && way !== ".." && !way.startsWith(`..${platform.sep}`) && !platform.isAbsolute(way);
}

/**
 * K2.3: two paths with one key would be one file where case or Unicode form does not count (NTFS, APFS). Upper case
 * before lower case folds what has one capital in common (ß and ss, final and medial sigma).
 */
export function twinKey(relativePath: string): string {
  return relativePath.normalize("NFD").toUpperCase().toLowerCase().normalize("NFC");
}

/** K5.1: `paper.pdf` → `paper_1.pdf`; a directory's name has no extension to split. Keeps the name within 255 bytes. */
export function withSuffix(relativePath: string, n: number, kind: "file" | "directory"): string {
  const { dir, base } = nodePath.posix.parse(relativePath);
  const extension = kind === "file" ? nodePath.posix.extname(base) : "";
  const tail = `_${n}${extension}`;
  const stem = cutToBytes(
    base.slice(0, base.length - extension.length),
    MAX_NAME_BYTES - Buffer.byteLength(tail),
  );
  return nodePath.posix.join(dir, stem + tail);
}

/** K5.1: where a processor writes the Markdown of a file: beside it, never in its own place (`a.md` → `a.md.md`). */
export function markdownSlot(relativePath: string): string {
  const { dir, name } = nodePath.posix.parse(relativePath);
  const slotWith = (tail: string): string =>
    nodePath.posix.join(dir, cutToBytes(name, MAX_NAME_BYTES - tail.length) + tail);
  const slot = slotWith(".md");
  return twinKey(slot) === twinKey(relativePath) ? slotWith(".md.md") : slot;
}

/** As many whole characters from the start as fit into `maxBytes` of UTF-8. */
export function cutToBytes(name: string, maxBytes: number): string {
  if (Buffer.byteLength(name) <= maxBytes) return name;
  let kept = "";
  let bytes = 0;
  for (const character of name) {
    bytes += Buffer.byteLength(character);
    if (bytes > maxBytes) break;
    kept += character;
  }
  return kept;
}
