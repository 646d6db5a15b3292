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

export interface PartBytes {
  readonly bytes: Uint8Array;
  readonly cut: string | null;
}

/** Reads parts of a workbook. Null when there is none of that name. @throws ReadProblem */
export interface PartReader {
  text(name: string): Promise<PartText | null>;
  bytes(name: string): Promise<PartBytes | null>;
}

/** Of parts that are too large to be unpacked whole, the beginning is read. */
export function createPartReader(archive: Archive, file: Uint8Array): PartReader {
  let left = MAX_TOTAL_BYTES;
  const beginning = async (name: string, error: unknown): Promise<PartBytes> => {
    if (!(error instanceof ReadProblem) || error.failure !== "too_complex") throw error;
    const bytes = await beginningOf(file, name, Math.min(left, MAX_PART_BYTES));
    if (bytes === null || bytes.length === 0) throw error;
    left -= bytes.length;
    const read = Math.max(1, Math.round(bytes.length / MIB));
    return { bytes, cut: `it is too large, only its first ${read} MiB were read.` };
  };
  return {
    async text(name) {
      try {
        const text = await archive.text(name);
        return text === null ? null : { text, cut: null };
      } catch (error) {
        const { bytes, cut } = await beginning(name, error);
        return { text: cleanText(new TextDecoder().decode(bytes)), cut };
      }
    },
    async bytes(name) {
      try {
        const bytes = archive.bytes(name);
        return bytes === null ? null : { bytes, cut: null };
      } catch (error) {
        return await beginning(name, error);
      }
    },
  };
}
