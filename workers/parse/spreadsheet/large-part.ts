import { beginningOf } from "../archive/beginning.ts";
import type { Archive } from "../archive/zip.ts";
import { cleanText } from "../clean-text.ts";
import { ReadProblem } from "../reader.ts";

const MIB = 1024 * 1024;
/** Of a part that is too large that many bytes are read, and of all such parts together. */
const MAX_PART_BYTES = 64 * MIB;
const MAX_TOTAL_BYTES = 192 * MIB;

export interface PartText {
  readonly text: string;
  /** Why the text may end before the part does; null when it is whole. */
  readonly cut: string | null;
}

/** Reads parts of a workbook as text. */
export type PartReader = (name: string) => Promise<PartText | null>;

/** Of parts that are too large to be unpacked whole, the beginning is read. */
export function createPartReader(archive: Archive, bytes: Uint8Array): PartReader {
  let left = MAX_TOTAL_BYTES;
  return async (name) => {
    try {
      const text = await archive.text(name);
      return text === null ? null : { text, cut: null };
    } catch (error) {
      if (!(error instanceof ReadProblem) || error.failure !== "too_complex") throw error;
      const beginning = await beginningOf(bytes, name, Math.min(left, MAX_PART_BYTES));
      if (beginning === null || beginning.length === 0) throw error;
      left -= beginning.length;
      const read = `only its first ${Math.max(1, Math.round(beginning.length / MIB))} MiB were read`;
      return { text: cleanText(new TextDecoder().decode(beginning)), cut: `it is too large, ${read}.` };
    }
  };
}
