import type { Result } from "../../rpc/contract/index.ts";
import type { ShownDocument } from "./shown-documents.ts";

/** A document that a grep found something in. */
export interface FoundDocument {
  readonly document: ShownDocument;
  /** Its matches as JSON in UTF-8, a character for each byte, as the search host made it; empty where none are told. */
  readonly json: string;
  readonly lines: number;
  readonly matches: number;
}

/** What becomes of the documents that are found. */
export interface FoundDocuments {
  add(document: FoundDocument): void;
  /** Resolves when more can be taken. `looked`: documents that were looked through so far. */
  endBatch(looked: number): Promise<void>;
  told(): Partial<Result<"kb.grep">>;
}

/** How many matches, or documents, an answer has room for. */
export interface Room {
  left(): number;
  taken(): number;
  /** There was more than fits. */
  isFull(): boolean;
  /** Answers how many of so many more fit; when not all do, it is full. */
  take(count: number): number;
  /** It is full, whatever is left. */
  close(): void;
}
