import { constants, isUtf8 } from "node:buffer";
import { cleanText } from "./clean-text.ts";
import { declaredEncoding } from "./declared-encoding.ts";
import { decodeAs } from "./encodings.ts";
import { guessEncoding } from "./guess-encoding.ts";
import { decodeShifted } from "./iso-2022.ts";
import { type DecodedText, ReadProblem } from "./reader.ts";

/** Bytes looked at to tell text from data. */
const SAMPLE = 64 * 1024;
/** What is longer may not fit into one string. */
const MAX_TEXT_BYTES = constants.MAX_STRING_LENGTH;
/** A file with more NULs than this share is data, unless it is UTF-16. */
const MAX_NUL_SHARE = 0.001;
/** In UTF-16 at least this share of the characters has a NUL: those of ASCII. */
const MIN_WIDE_SHARE = 0.05;
/** At most this many NULs stand at the wrong places for each one at the right ones. */
const MAX_CROSSED_SHARE = 0.25;
/** Broken UTF-8 is still UTF-8 when this many characters are whole for each that is not. */
const WHOLE_PER_BROKEN = 4;

const marks: readonly (readonly [encoding: string, mark: readonly number[]])[] = [
  ["utf-8", [0xef, 0xbb, 0xbf]],
  ["utf-32le", [0xff, 0xfe, 0, 0]],
  ["utf-32be", [0, 0, 0xfe, 0xff]],
  ["utf-16le", [0xff, 0xfe]],
  ["utf-16be", [0xfe, 0xff]],
];

/**
 * A file's bytes → its text, or null when they are no text: byte order mark, NUL pattern of UTF-16, strict UTF-8, escape
 * sequences, what the file says of itself, then a guess by statistics.
 * @throws ReadProblem too_complex for text that is longer than `maxBytes`.
 */
export async function decodeText(
  bytes: Uint8Array,
  maxBytes: number = MAX_TEXT_BYTES,
): Promise<DecodedText | null> {
  if (bytes.length > maxBytes) return refuseLongText(bytes, maxBytes);
  const marked = marks.find(([, mark]) => mark.every((byte, at) => bytes[at] === byte));
  if (marked !== undefined) return decoded(await decodeAs(bytes, marked[0]), marked[0]);
  if (bytes.includes(0)) return decodeWithNuls(bytes);
  if (isUtf8(bytes)) {
    const shifted = await decodeShifted(bytes);
    return (
      shifted ?? decoded(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("utf8"), "utf-8")
    );
  }
  if (holdsControls(bytes)) return null;
  return decodeLegacy(bytes);
}

/** Null for data. Whether it is text, its beginning tells, but for NULs. */
async function refuseLongText(bytes: Uint8Array, maxBytes: number): Promise<null> {
  const start = await decodeText(bytes.subarray(0, Math.min(SAMPLE, maxBytes)));
  const isWide = start !== null && /^utf-(?:16|32)/.test(start.encoding);
  if (start === null || (!isWide && countNuls(bytes) > bytes.length * MAX_NUL_SHARE)) return null;
  const mebibytes = Math.ceil(maxBytes / (1024 * 1024));
  throw new ReadProblem(
    "too_complex",
    `It is a text of more than the ${mebibytes} MiB that can be read at once.`,
  );
}

function countNuls(bytes: Uint8Array): number {
  let count = 0;
  for (let at = bytes.indexOf(0); at !== -1; at = bytes.indexOf(0, at + 1)) count++;
  return count;
}

async function decodeWithNuls(bytes: Uint8Array): Promise<DecodedText | null> {
  const wide = wideEncoding(bytes);
  if (wide !== null) return decoded(await decodeAs(bytes, wide), wide);
  const count = countNuls(bytes);
  if (count > Math.max(1, bytes.length * MAX_NUL_SHARE) || holdsControls(bytes)) return null;
  const text = Buffer.from(bytes).toString("utf8");
  const { whole, broken } = countBroken(text);
  if (broken > 0 && whole < broken * WHOLE_PER_BROKEN) return null;
  return decoded(text, "utf-8", [`${count} NUL character(s) were replaced.`]);
}

/**
 * UTF-16 without a mark: NULs stand at the even or at the odd places, but for a few characters such as U+4E00 whose other
 * byte is the NUL, and what comes out is text.
 */
function wideEncoding(bytes: Uint8Array): string | null {
  if (bytes.length < 2 || bytes.length % 2 !== 0) return null;
  const sample = bytes.subarray(0, SAMPLE);
  let even = 0;
  let odd = 0;
  for (let at = 0; at < sample.length; at += 2) {
    if (sample[at] === 0) even++;
    if (sample[at + 1] === 0) odd++;
  }
  if (Math.min(even, odd) > Math.max(even, odd) * MAX_CROSSED_SHARE) return null;
  if (even + odd < (sample.length / 2) * MIN_WIDE_SHARE) return null;
  const encoding = odd > even ? "utf-16le" : "utf-16be";
  try {
    // As a stream: the sample may end between the halves of a pair.
    const text = new TextDecoder(encoding, { fatal: true }).decode(sample, { stream: true });
    return controls.test(text) ? null : encoding;
  } catch {
    // Lone surrogates: it only looked like UTF-16.
    return null;
  }
}

async function decodeLegacy(bytes: Uint8Array): Promise<DecodedText | null> {
  const lenient = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("utf8");
  const { whole, broken } = countBroken(lenient);
  if (whole >= broken * WHOLE_PER_BROKEN) {
    return decoded(lenient, "utf-8", [`${broken} byte sequence(s) that are not UTF-8 were replaced.`]);
  }
  const declared = declaredEncoding(bytes);
  const text = declared === null ? null : await decodeAs(bytes, declared);
  if (declared !== null && text !== null && !text.includes("\uFFFD")) return decoded(text, declared);
  const guess = await guessEncoding(bytes);
  return decoded((await decodeAs(bytes, guess)) ?? lenient, guess);
}

function countBroken(text: string): { whole: number; broken: number } {
  let whole = 0;
  let broken = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0xfffd) broken++;
    else if (code > 0x7f) whole++;
  }
  return { whole, broken };
}

// oxlint-disable-next-line no-control-regex -- control characters are what tells data from text
const controls = /[\0-\x08\x0e-\x1a\x1c-\x1f]/;

/** Text has no control characters but tab, line feed, carriage return, form feed and escape; data nearly always has. */
function holdsControls(bytes: Uint8Array): boolean {
  const end = Math.min(bytes.length, SAMPLE);
  let count = 0;
  for (let at = 0; at < end; at++) {
    const byte = bytes[at] ?? 0;
    if (byte < 32 && byte !== 0 && (byte < 9 || byte > 13) && byte !== 0x1b && byte !== 0x1a) count++;
  }
  return count > end / 1000;
}

function decoded(
  text: string | null,
  encoding: string,
  warnings: readonly string[] = [],
): DecodedText | null {
  return text === null ? null : { text: cleanText(text), encoding, warnings };
}
