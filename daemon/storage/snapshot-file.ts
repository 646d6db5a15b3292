import filenamify from "filenamify";
import { clusterEdgeBefore } from "../../workers/chunk/graphemes.ts";
import { outlineOf } from "../../workers/chunk/outline.ts";
import { cutToBytes, MAX_NAME_BYTES } from "./relative-path.ts";

/** What stands in front of a snapshot's text (K6.1), in this order. `resource` is the address of a captured page. */
export interface SnapshotFields {
  readonly type: "URL" | "Note";
  readonly title: string;
  readonly resource?: string;
  /** ISO 8601, UTC. */
  readonly timestamp: string;
}

const EXTENSION = ".md";
const MAX_NAME_CHARACTERS = 80;
const FALLBACK = { URL: "page", Note: "note" } as const;

/** K6.1: a snapshot's file. `stripSnapshot` of workers/parse is its exact inverse (K6.2). */
export function writeSnapshot({ type, title, resource, timestamp }: SnapshotFields, body: string): string {
  const fields = { type, title, ...(resource !== undefined && { resource }), timestamp };
  const lines = Object.entries(fields).map(([key, value]) => `${key}: ${JSON.stringify(value)}\n`);
  return `---\n${lines.join("")}---\n${body}`;
}

/**
 * What a Markdown text calls itself: its first heading that says something, else its first non-empty line; null for a blank
 * text.
 */
export function snapshotTitle(body: string): string | null {
  const text = body.replaceAll(/\r\n?/g, "\n");
  const heading = outlineOf(text, "markdown").headings.find((candidate) => candidate.text.trim() !== "");
  return heading?.text.trim() ?? firstLine(text);
}

/** The first line with something on it, trimmed; null for a blank text. */
export function firstLine(text: string): string | null {
  return /\S.*/.exec(text)?.[0].trim() ?? null;
}

/**
 * K5.3: the file name of a snapshot, safe on every platform: after its title, cut at 80 characters; else after its address,
 * `<host>-<last segment>`; else `page` or `note`.
 */
export function snapshotName(
  type: SnapshotFields["type"],
  title: string | null,
  resource: string | null = null,
): string {
  const wanted = [title, resource === null ? null : nameOfAddress(resource)];
  for (const name of wanted) {
    const safe = name === null ? "" : safeName(name);
    if (safe !== "") return safe + EXTENSION;
  }
  return FALLBACK[type] + EXTENSION;
}

function nameOfAddress(resource: string): string | null {
  if (!URL.canParse(resource)) return null;
  const url = new URL(resource);
  if (url.hostname === "") return null;
  const last = url.pathname.split("/").findLast((segment) => segment !== "");
  return last === undefined ? url.hostname : `${url.hostname}-${decoded(last)}`;
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    // Not UTF-8: what stands there is the name.
    return segment;
  }
}

/** Empty when nothing of it can stand in a name. A leading dot would hide the file. */
function safeName(name: string): string {
  const short = name.slice(0, clusterEdgeBefore(name, Math.min(name.length, MAX_NAME_CHARACTERS), 0));
  const shown = withoutReserved(short.replaceAll(/\p{Cs}/gu, "-"))
    .replace(/^[-.\s]+/, "")
    .replace(/[-\s]+$/, "");
  if (shown === "") return "";
  // What stood in front may have been all that told it from a reserved name, such as CON.
  return cutToBytes(withoutReserved(shown), MAX_NAME_BYTES - EXTENSION.length).trimEnd();
}

function withoutReserved(name: string): string {
  return filenamify(name, { replacement: "-", maxLength: MAX_NAME_CHARACTERS });
}
