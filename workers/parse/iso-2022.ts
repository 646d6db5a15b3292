import { cleanText } from "./clean-text.ts";
import { decodeAs } from "./encodings.ts";
import type { DecodedText } from "./reader.ts";

const ESC = 0x1b;
const SHIFT_OUT = 0x0e;
const SHIFT_IN = 0x0f;
const KOREAN = "\x1b$)C";

/** Seven-bit Japanese and Korean, told by their escape sequences; null for anything else. */
export async function decodeShifted(bytes: Uint8Array): Promise<DecodedText | null> {
  const first = bytes.indexOf(ESC);
  if (first === -1) return null;
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1");
  if (text.includes(KOREAN)) return korean(bytes);
  // oxlint-disable-next-line no-control-regex -- the escape character is what is looked for
  if (!/\x1b\$[@B]/.test(text)) return null;
  const japanese = await decodeAs(bytes, "iso-2022-jp");
  return japanese === null || japanese.includes("\uFFFD")
    ? null
    : { text: cleanText(japanese), encoding: "iso-2022-jp", warnings: [] };
}

/** Between shift-out and shift-in stand the bytes of EUC-KR without their high bit. */
async function korean(bytes: Uint8Array): Promise<DecodedText | null> {
  const out = new Uint8Array(bytes.length);
  let length = 0;
  let shifted = false;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    if (byte === ESC && bytes[at + 1] === 0x24) at += 3;
    else if (byte === SHIFT_OUT) shifted = true;
    else if (byte === SHIFT_IN) shifted = false;
    else {
      if (byte === 0x0a) shifted = false;
      out[length++] = shifted && byte > 0x20 ? byte | 0x80 : byte;
    }
  }
  const text = await decodeAs(out.subarray(0, length), "euc-kr");
  return text === null ? null : { text: cleanText(text), encoding: "iso-2022-kr", warnings: [] };
}
