/** Of which bytes of an item's file Markdown was made last, by what, and where it stands in its base. */
export interface Processed {
  readonly byteHash: string;
  readonly processorId: string;
  /** Relative to the base's raw folder. */
  readonly markdownId: string;
}

/** The Markdown that processors made of files, which stands beside them in their base (K5.1). */
export interface ProcessedStore {
  get(itemId: string): Processed | undefined;
  put(itemId: string, processed: Processed): void;
  /**
   * Holds the place of the item's Markdown. When another item has it, both of the item's names take the next `_N`: then its
   * concept id is another one than before. Throws ITEM_NOT_FOUND.
   */
  reserve(itemId: string): { readonly conceptId: string; readonly markdownId: string };
}
