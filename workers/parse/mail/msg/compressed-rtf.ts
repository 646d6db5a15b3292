const COMPRESSED = 0x75465a4c;
const PLAIN = 0x414c454d;
const HEADER_BYTES = 16;
const WINDOW = 4096;
const MAX_RTF_BYTES = 64 * 1024 * 1024;
/** What the window holds before the first byte. */
const preset =
  "{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \\fmodern \\fscript \\fdecor MS Sans " +
  "SerifSymbolArialTimes New RomanCourier{\\colortbl\\red0\\green0\\blue0\r\n\\par \\pard\\plain\\f0\\fs20\\b\\i\\u\\tab\\tx";

/** The RTF of a message that Outlook stored compressed (MS-OXRTFCP); null when it is none. A broken one ends where it breaks. */
export function decompressRtf(bytes: Uint8Array): Uint8Array | null {
  if (bytes.length < HEADER_BYTES) return null;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const rawBytes = view.getUint32(4, true);
  const kind = view.getUint32(8, true);
  if (kind === PLAIN) return bytes.subarray(HEADER_BYTES, HEADER_BYTES + rawBytes);
  if (kind !== COMPRESSED || rawBytes > MAX_RTF_BYTES) return null;
  return expand(bytes, rawBytes);
}

function expand(bytes: Uint8Array, rawBytes: number): Uint8Array {
  // Each of its bytes gives at most 17/2: what a lying length claims is not reserved.
  const out = new Uint8Array(Math.min(rawBytes, bytes.length * 9));
  const window = new Uint8Array(WINDOW).fill(32);
  window.set(Buffer.from(preset, "latin1"));
  let write = preset.length;
  let length = 0;
  const put = (byte: number): void => {
    if (length < out.length) out[length++] = byte;
    window[write] = byte;
    write = (write + 1) % WINDOW;
  };
  for (let at = HEADER_BYTES; at < bytes.length && length < out.length;) {
    const flags = bytes[at++] ?? 0;
    for (let bit = 0; bit < 8 && at < bytes.length; bit++) {
      if ((flags & (1 << bit)) === 0) {
        put(bytes[at++] ?? 0);
        continue;
      }
      const pair = ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0);
      at += 2;
      const offset = pair >> 4;
      if (offset === write) return out.subarray(0, length);
      for (let step = 0; step < (pair & 15) + 2; step++) put(window[(offset + step) % WINDOW] ?? 0);
    }
  }
  return out.subarray(0, length);
}
