import path from "node:path";
import pc from "picocolors";
import { wantsColor } from "../../config/colors.ts";
import { displayPath } from "../../workers/path-bytes.ts";

/** For standard output. */
export const paint = pc.createColors(wantsColor(process.stdout));
/** For standard error, which may be a terminal where standard output is none. */
export const paintError = pc.createColors(wantsColor(process.stderr));

export function out(line = ""): void {
  process.stdout.write(`${line}\n`);
}

export function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

/** 12345 → "12,345". */
export function count(n: number): string {
  return n.toLocaleString("en-US");
}

/** "1 file", "2 files". */
export function plural(n: number, one: string, many = `${one}s`): string {
  return `${count(n)} ${n === 1 ? one : many}`;
}

export function duration(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

export function bytes(n: number): string {
  const units = ["B", "KB", "MB", "GB"];
  let value = n;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${units[unit] ?? "B"}`;
}

/** Text of documents is data: control characters and direction marks in it must not drive the terminal. */
export function harmless(text: string): string {
  // Where nothing is replaced, the text itself is the answer, after one fast pass.
  return text.replaceAll(/[^\P{Cc}\n\t]|[\u202A-\u202E\u2066-\u2069]/gu, "\u{FFFD}");
}

/** A name or path on one line: a name may hold anything but a slash, and must not look like two lines of the output. */
export function shownName(name: string): string {
  return harmless(displayPath(name)).replaceAll(/[\n\t]/g, "\u{FFFD}");
}

/** A path as short as it can be said: relative to the working folder when it lies below it. */
export function shownPath(absolute: string): string {
  const relative = path.relative(process.cwd(), absolute);
  const isBelow = relative !== "" && relative !== ".." && !relative.startsWith(`..${path.sep}`);
  return shownName(isBelow ? relative : absolute);
}
