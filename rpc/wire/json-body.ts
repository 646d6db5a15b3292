import { type Fault, parseFault } from "./fault.ts";

export type BodyReading = { readonly value: unknown; readonly fault?: undefined } | { readonly fault: Fault };

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** One frame's bytes as JSON. Nesting is bounded before the parser sees it: it takes seconds over deep arrays. */
export function readBody(bytes: Buffer, maxDepth: number): BodyReading {
  if (maxDepth < Infinity && isDeeperThan(bytes, maxDepth))
    return { fault: parseFault(`nested deeper than ${maxDepth} levels`) };
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch {
    // The decoder's only failure is the one that is answered here.
    return { fault: parseFault("not valid UTF-8") };
  }
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    // The parser's message quotes the input, which may be anything; where it broke helps nobody over a socket.
    return {
      fault: parseFault(
        "not JSON; a message is one object or array, on one line unless it has a Content-Length",
      ),
    };
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** One pass over the bytes. Text that is no JSON may count wrongly; the parser refuses it afterwards. */
export function isDeeperThan(bytes: Uint8Array, maxDepth: number): boolean {
  let depth = 0;
  let inString = false;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (inString) {
      if (byte === BACKSLASH) at++;
      else if (byte === QUOTE) inString = false;
    } else if (byte === QUOTE) {
      inString = true;
    } else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) {
      if (++depth > maxDepth) return true;
    } else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) {
      depth--;
    }
  }
  return false;
}
