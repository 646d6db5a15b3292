import { headerOf, type Framing } from "./framing.ts";

/** JSON in UTF-8 with a character for each byte, in pieces: what was encoded once goes out as it is. */
export interface EncodedJson {
  readonly utf8: readonly string[];
}

/** Makes frames of what is encoded already. The memory of a frame serves the next one. */
export interface EncodedFrames {
  /** `isSent`: all frames before have gone out, so that their memory may be written to. */
  frame(framing: Framing, json: EncodedJson, isSent: boolean): Buffer;
}

/** A larger frame is not kept. */
const MAX_KEPT_BYTES = 1024 * 1024;

/**
 * A stream sends hundreds of frames of a few hundred kilobytes: memory of its own for each would be counted by the collector,
 * and given back to the system and asked for again each time.
 */
export function createEncodedFrames(): EncodedFrames {
  let kept: Buffer = Buffer.alloc(0);

  function memory(bytes: number, isSent: boolean): Buffer {
    if (isSent && bytes <= kept.length) return kept.subarray(0, bytes);
    // With some room, as the next one may be a little larger.
    const fresh = Buffer.allocUnsafeSlow(bytes + (bytes >> 2));
    if (isSent && fresh.length <= MAX_KEPT_BYTES) kept = fresh;
    return fresh.subarray(0, bytes);
  }

  return {
    frame(framing, { utf8 }, isSent) {
      const length = utf8.reduce((sum, piece) => sum + piece.length, 0);
      const [head, end] = framing === "ndjson" ? ["", "\n"] : [headerOf(length), ""];
      const frame = memory(head.length + length + end.length, isSent);
      let at = frame.write(head, "latin1");
      for (const piece of utf8) at += frame.write(piece, at, "latin1");
      frame.write(end, at, "latin1");
      return frame;
    },
  };
}
