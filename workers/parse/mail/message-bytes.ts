import type { Probe } from "../reader.ts";
import { messageStart } from "./recognise.ts";

const MARK = [0xef, 0xbb, 0xbf];

/** A message as bytes of one width, and the charset of all of it where that took decoding. */
export function messageBytes(probe: Probe): { bytes: Uint8Array; charset: string | null } {
  const encoding = probe.text?.encoding ?? "";
  if (probe.text !== null && /^utf-(?:16|32)/.test(encoding))
    return { bytes: Buffer.from(probe.text.text, "utf8"), charset: "utf-8" };
  const { bytes } = probe;
  const start = MARK.every((byte, at) => bytes[at] === byte) ? MARK.length : 0;
  return { bytes: bytes.subarray(start + apple(bytes.subarray(start), probe.extension)), charset: null };
}

function apple(bytes: Uint8Array, extension: string): number {
  return messageStart(Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 100)), extension);
}
