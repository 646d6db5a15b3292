/** Formats go by what a file is, extensions by its name alone. */
export type DocumentType = { readonly format: string } | { readonly extension: string };

export interface KnownTypes {
  /** Null for what no reader reads; case and a leading dot don't matter. */
  find(name: string): DocumentType | null;
}

let known: KnownTypes | null = null;
const none: KnownTypes = { find: () => null };

/**
 * What `type:` may name: the formats of all readers, and their file extensions. The readers' table is loaded only for a query
 * that may ask for it: it is no part of the way to a first answer.
 */
export async function knownTypesFor(query: string, names: readonly string[]): Promise<KnownTypes> {
  if (names.length === 0 && !/type:/i.test(query)) return none;
  if (known) return known;
  const { readers } = await import("../../workers/parse/registry.ts");
  const formats: ReadonlySet<string> = new Set(readers.map((reader) => reader.format));
  const extensions: ReadonlySet<string> = new Set(readers.flatMap((reader) => reader.extensions));
  known = {
    find(name) {
      const type = bareType(name);
      if (formats.has(type)) return { format: type };
      return extensions.has(type) ? { extension: type } : null;
    },
  };
  return known;
}

/** `*.PDF`, `.pdf` → pdf. */
export function bareType(name: string): string {
  return name.toLowerCase().replace(/^\*?\./, "");
}
