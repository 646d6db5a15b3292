import type { Item } from "../../../rpc/contract/items.ts";

/** All parts must hold; a list of formats says what one may be, one of tags what it must have. */
export interface ItemFilter {
  readonly formats?: readonly string[] | undefined;
  readonly notFormats?: readonly string[] | undefined;
  /** The file's own times, in milliseconds: after ≤ changed < before. */
  readonly after?: number | undefined;
  readonly before?: number | undefined;
  /** The id of a directory stands for all below it. */
  readonly itemIds?: readonly string[] | undefined;
  /** Case and # don't matter; a tag stands for all below it (project: project/x). */
  readonly tags?: readonly string[] | undefined;
  readonly notTags?: readonly string[] | undefined;
}

/** What a document is told from others by, beside its text. */
export interface ItemPlace {
  readonly id: string;
  readonly conceptId: string;
  readonly path: string | null;
  readonly format: string | null;
}

/** What answers tell of a document that may be shown. */
export type VisibleItem = Pick<Item, "id" | "conceptId" | "path" | "url" | "title" | "changedAt">;
