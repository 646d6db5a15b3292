/** Hostile files by name. Made when asked for: some are large. */
export type Zoo = Readonly<Record<string, () => string | Uint8Array>>;

/** A zoo out of a function for each name and each extension. */
export function crossed<T>(
  extensions: readonly string[],
  things: Readonly<Record<string, T>>,
  make: (thing: T, extension: string) => string | Uint8Array,
): Zoo {
  return Object.fromEntries(
    extensions.flatMap((extension) =>
      Object.entries(things).map(([name, thing]) => [`${name}.${extension}`, () => make(thing, extension)]),
    ),
  );
}
