/** What a format's own rules find, by line. */
export interface LineStructure {
  readonly headings: readonly { readonly line: number; readonly level: number; readonly text: string }[];
  /** [first line, line after the last). */
  readonly fences: readonly (readonly [number, number])[];
  readonly rules: readonly number[];
  readonly listItems: readonly number[];
  /** [header, line after the last row): the header's line, its delimiter row, rows. */
  readonly tables: readonly (readonly [number, number])[];
}
