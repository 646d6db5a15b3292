const UNITS = ["bytes", "KB", "MB", "GB", "TB"];

/** A number of bytes for people, in units of 1024 with one decimal at most: "52.4 MB". */
export function byteAmount(bytes: number): string {
  let unit = 0;
  let value = bytes;
  for (; value >= 1024 && unit < UNITS.length - 1; unit++) value /= 1024;
  return `${Math.round(value * 10) / 10} ${UNITS[unit]}`;
}

/** Why a file is listed but not read; the same whether it was found too large before or while it was opened. */
export function tooLargeReason(bytes: number, maxBytes: number): string {
  return `The file has ${byteAmount(bytes)}, more than the ${byteAmount(maxBytes)} that the source's setting maxFileBytes allows.`;
}
