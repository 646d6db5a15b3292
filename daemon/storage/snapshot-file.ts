import filenamify from "filenamify";
import { clusterEdgeBefore } from "../../workers/chunk/graphemes.ts";
import type { SnapshotFields } from "../../workers/parse/snapshot-text.ts";
import { cutToBytes, MAX_NAME_BYTES } from "./relative-path.ts";

const EXTENSION = ".md";
const MAX_NAME_CHARACTERS = 80;
const FALLBACK = { URL: "page", Note: "note" } as const;

/**
 * K5.3: the file name of a snapshot, safe on every platform: after its title, cut at 80 characters; else after its address,
 * `<host>-<last segment>`; else `page` or `note`.
 */
export function snapshotName(
  type: SnapshotFields["type"],
  title: string | null,
  resource: string | null = null,
  extension = EXTENSION,
): string {
  const wanted = [title, resource === null ? null : nameOfAddress(resource)];
  for (const name of wanted) {
    const safe = name === null ? "" : safeName(name);
    if (safe !== "") return safe.toLowerCase().endsWith(extension) ? safe : safe + extension;
  }
  return FALLBACK[type] + extension;
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
