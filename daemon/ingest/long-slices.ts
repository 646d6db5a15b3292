import type { PreparedDocument, PreparedSlice, ReadOutcome, SliceOutcome } from "../../workers/contract.ts";
import { spooledSegments } from "../../workers/spool.ts";
import type { HostFailure } from "../runtime/host.ts";
import type { IngestDeps } from "./ingest-deps.ts";
import { readSlice, type Work } from "./read-stage.ts";

type SliceRead = Extract<SliceOutcome, { kind: "slice" }>;

/** What is stored of a slice. */
export interface StoredSlice extends Omit<SliceRead, "slice"> {
  readonly slice: Omit<PreparedSlice, "next"> & Partial<Pick<PreparedDocument, "names">>;
}

/** Slice after slice; what is no slice is the last. */
export type Slices = AsyncGenerator<
  | StoredSlice
  | Exclude<SliceOutcome, { kind: "slice" }>
  | { readonly kind: "lost"; readonly failure: HostFailure }
>;

export type SpooledOutcome = Extract<ReadOutcome, { kind: "spooled" }>;

/** Of a file that is read slice by slice. While one is written, the next is read. */
export async function* slicesOf(deps: IngestDeps, work: Work, signal: AbortSignal): Slices {
  let reading = readSlice(deps, work, null, signal);
  for (;;) {
    const result = await reading;
    if (result.kind === "failed") {
      yield { kind: "lost", failure: result.failure };
      return;
    }
    const { outcome } = result;
    const next = outcome.kind === "slice" ? outcome.slice.next : null;
    if (next !== null) {
      reading = readSlice(deps, work, next, signal);
      // When nobody asks for it any more, nobody hears of its failure either.
      reading.catch(() => undefined);
    }
    yield outcome;
    if (next === null) return;
  }
}

/** Of a document that was read whole, and waits in a file. */
export async function* slicesOfSpool({ key, byteHash, stamp, document }: SpooledOutcome): Slices {
  for await (const segment of spooledSegments(document.spool))
    yield { kind: "slice", key, byteHash, stamp, slice: { ...document, segments: [segment] } };
}
