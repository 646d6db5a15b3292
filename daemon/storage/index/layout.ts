import path from "node:path";

/** Where a base's things stand (K2.1). */
export interface BaseLayout {
  readonly folder: string;
  /** Bytes that the base owns. */
  readonly raw: string;
  /** The control folder: never material. */
  readonly control: string;
  readonly index: string;
}

/** Throws for an id that would not be one path segment of its own. */
export function baseLayout(dataDir: string, baseId: string): BaseLayout {
  if (!/^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$/.test(baseId))
    throw new TypeError(`not the id of a base: ${baseId}`);
  const folder = path.join(dataDir, "KnowledgeBase", baseId);
  const control = path.join(folder, ".cherry");
  return { folder, raw: path.join(folder, "raw"), control, index: path.join(control, "index.sqlite") };
}
