/** Formats go by what a file is, extensions by its name alone. */
export type DocumentType = { readonly format: string } | { readonly extension: string };

export interface KnownTypes {
  /** Null for what no reader reads; case and a leading dot don't matter. */
  find(name: string): DocumentType | null;
}

let known: KnownTypes | null = null;

/** What `type:` may name: the formats of all readers, and their file extensions. */
export async function knownTypes(): Promise<KnownTypes> {
  if (known) return known;
  const { readers } = await import("../../workers/parse/registry.ts");
  const formats: ReadonlySet<string> = new Set(readers.map((reader) => reader.format));
  const extensions: ReadonlySet<string> = new Set(readers.flatMap((reader) => reader.extensions));
  known = {
    find(name) {
      const type = name.toLowerCase().replace(/^\*?\./, "");
      if (formats.has(type)) return { format: type };
      return extensions.has(type) ? { extension: type } : null;
    },
  };
  return known;
}
