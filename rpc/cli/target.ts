import { realpathSync } from "node:fs";
import path from "node:path";
import { escapePath, toSystemPath } from "../../workers/path-bytes.ts";
import type { Base } from "../contract/bases.ts";
import type { ParamsInput } from "../contract/index.ts";
import { typedPath } from "./typed-path.ts";

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** What a person means by an id, by a path in the base that was named beside it, or else by a file's path. */
export function targetOf(typed: string, base: Base | undefined): ParamsInput<"item.find"> {
  if (uuid.test(typed)) return { itemId: typed };
  if (base) return { baseId: base.id, conceptId: typed };
  return { path: placeOf(typedPath(typed)) };
}

/**
 * An absolute path by the name that the daemon knows: links in the folders above are followed. One at the end is not: the
 * daemon never takes a link for the file behind it.
 */
function placeOf(absolute: string): string {
  return path.join(realPath(path.dirname(absolute)), path.basename(absolute));
}

/** Links followed as far as the path exists: a file that is gone may still have its item. */
export function realPath(absolute: string): string {
  try {
    return escapePath(realpathSync.native(toSystemPath(absolute), { encoding: "buffer" }));
  } catch {
    const above = path.dirname(absolute);
    return above === absolute ? absolute : path.join(realPath(above), path.basename(absolute));
  }
}
