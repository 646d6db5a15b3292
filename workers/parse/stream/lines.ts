import type { Reader } from "../reader.ts";
import { codeUnits, countLines, decodePiece, lineCut } from "./code-units.ts";
import type { StreamReader } from "./stream-reader.ts";

/** Text that stands in the document as it does in the file: cut between lines, each piece read like a short file. */
export function linesOf(reader: Reader): StreamReader {
  return {
    reader,
    async read({ window, atEnd, encoding, line, ...input }) {
      const units = codeUnits(window, encoding);
      const bytes = atEnd ? window.length : lineCut(units) * units.unitBytes;
      const text = await decodePiece(window.subarray(0, bytes), encoding);
      const lines = countLines(text);
      const common = { bytes, lines, joint: "", state: {} };
      // Readers are not asked what a piece without words is.
      if (text.trim() === "") {
        const parts = [{ text, markup: "plain" as const, locator: null, lines: null }];
        return { ...common, parts, title: null, metadata: { encoding }, warnings: [] };
      }
      const { title, parts, metadata, warnings } = await reader.read({
        ...input,
        // A piece of one JSON text is none by itself; lines of such texts need not be whole.
        extension: input.extension === "json" ? "jsonl" : input.extension,
        bytes: window.subarray(0, bytes),
        text: { text, encoding, warnings: [] },
        mediaType: null,
        snapshot: false,
        firstLine: line,
      });
      return { ...common, title, parts, metadata, warnings };
    },
  };
}
