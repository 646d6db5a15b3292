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
  const marked = Buffer.from(bytes.buffer, bytes.byteOffset + start, bytes.length - start);
  const message = marked.subarray(messageStart(marked, probe.extension));
  return { bytes: probe.extension === "emlx" ? withoutFlags(marked, message) : message, charset: null };
}

/** Apple Mail writes what it knows of a message as a property list behind it; the message's length stands in front. */
function withoutFlags(file: Buffer, message: Buffer): Buffer {
  const length = Number(/^\s*(\d{1,12})/.exec(file.toString("latin1", 0, 100))?.[1] ?? message.length);
  const behind = message.toString("latin1", length, length + 100);
  return behind.trimStart().startsWith("<?xml") ? message.subarray(0, length) : message;
}
