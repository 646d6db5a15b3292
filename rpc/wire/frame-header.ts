import { type Fault, streamFault } from "./fault.ts";

/** A header block, from its first byte to its empty line. */
export const MAX_HEADER_BYTES = 4096;

export type HeaderReading =
  | { readonly contentLength: number; readonly fault?: undefined }
  | { readonly fault: Fault };

const UTF8_NAMES = new Set(["utf-8", "utf8"]);
/** More digits than any cap needs: refused before they are made a number. */
const LENGTH_PATTERN = /^\d{1,12}$/;

/** Reads the lines of a header block (without its empty line): Content-Length once, Content-Type in UTF-8 at most. */
export function readHeaders(lines: readonly string[], maxFrameBytes: number): HeaderReading {
  let length: string | undefined;
  for (const line of lines) {
    const colon = line.indexOf(":");
    if (colon < 1) return { fault: streamFault("a header line must read `Name: value`") };
    const name = line.slice(0, colon).toLowerCase();
    const value = line.slice(colon + 1).trim();
    if (name === "content-length") {
      if (length !== undefined) return { fault: streamFault("Content-Length stands twice") };
      length = value;
    } else if (name === "content-type" && !isUtf8(value)) {
      return { fault: streamFault("Content-Type may name no charset but utf-8") };
    }
  }
  return readLength(length, maxFrameBytes);
}

function readLength(text: string | undefined, maxFrameBytes: number): HeaderReading {
  if (text === undefined) return { fault: streamFault("a header block needs Content-Length") };
  if (!LENGTH_PATTERN.test(text))
    return { fault: streamFault("Content-Length must be a whole number of bytes") };
  const contentLength = Number(text);
  if (contentLength > maxFrameBytes) return { fault: oversizeFault(maxFrameBytes) };
  return { contentLength };
}

function isUtf8(contentType: string): boolean {
  const charset = /;\s*charset\s*=\s*"?([^";\s]+)/i.exec(contentType)?.[1];
  return charset === undefined || UTF8_NAMES.has(charset.toLowerCase());
}

export function oversizeFault(maxFrameBytes: number): Fault {
  return streamFault(`a message may have ${maxFrameBytes} bytes at most`);
}
