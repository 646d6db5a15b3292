export interface BatchBounds {
  readonly texts: number;
  readonly characters: number;
}

/** Cuts a list into runs within both bounds. A text that is too long by itself travels alone. */
export function planBatches<T extends { readonly text: string }>(
  items: readonly T[],
  bounds: BatchBounds,
): T[][] {
  const batches: T[][] = [];
  let batch: T[] = [];
  let characters = 0;
  for (const item of items) {
    const full = batch.length >= bounds.texts || characters + item.text.length > bounds.characters;
    if (batch.length > 0 && full) {
      batches.push(batch);
      batch = [];
      characters = 0;
    }
    batch.push(item);
    characters += item.text.length;
  }
  if (batch.length > 0) batches.push(batch);
  return batches;
}
