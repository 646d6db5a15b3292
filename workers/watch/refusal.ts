import { readRefusal } from "./listing.ts";

const UNITS = ["bytes", "KB", "MB", "GB", "TB"];

/** Why a file is listed but not read; null when it is to be read. */
export function refusalOf(path: string, size: number, maxFileBytes: number): string | null {
  if (size > maxFileBytes) {
    return `The file has ${amount(size)}, more than the ${amount(maxFileBytes)} that the source's setting maxFileBytes allows.`;
  }
  return readRefusal(path);
}

/** In units of 1024 with one decimal at most: "52.4 MB". */
function amount(bytes: number): string {
  let unit = 0;
  let value = bytes;
  for (; value >= 1024 && unit < UNITS.length - 1; unit++) value /= 1024;
  return `${Math.round(value * 10) / 10} ${UNITS[unit]}`;
}
