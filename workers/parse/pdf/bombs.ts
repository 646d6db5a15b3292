import { setImmediate } from "node:timers/promises";
import { ReadProblem } from "../reader.ts";
import { type Filter, unpacksWithin } from "./unpacked-size.ts";

const MIB = 1024 * 1024;
/** What one stream of text, fonts or objects may unpack to. */
const MAX_UNPACKED = 128 * MIB;
/** How far in front of a stream its dictionary may begin. */
const MAX_DICTIONARY = MIB;
/** Streams between two turns of the event loop. */
const STREAMS_A_TURN = 1000;
/** What stands right in front of a stream: the end of its dictionary, or a remark behind that. */
const opening = />>\s*$|%[^\r\n]*[\r\n]\s*$/;
const START = "stream";
const END = "endstream";

/** Names of filters, long and short. */
const filterNames: Readonly<Record<string, Filter>> = {
  FlateDecode: "flate",
  Fl: "flate",
  LZWDecode: "lzw",
  LZW: "lzw",
  RunLengthDecode: "runs",
  RL: "runs",
  ASCIIHexDecode: "hex",
  AHx: "hex",
  ASCII85Decode: "base85",
  A85: "base85",
};
const filterName = /\/(?:(?:Flate|LZW|RunLength|ASCIIHex|ASCII85)Decode|Fl|LZW|RL|AHx|A85)\b/g;

/**
 * Looks at the packed streams of a PDF before a library unpacks them in memory. Images are never unpacked here.
 * @throws ReadProblem too_complex for one that would not fit.
 */
export async function refuseBombs(
  bytes: Uint8Array,
  signal: AbortSignal | undefined,
): Promise<{ attachments: boolean }> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let attachments = true;
  let count = 0;
  for (const { dictionary, packed } of streamsOf(buffer)) {
    if (++count % STREAMS_A_TURN === 0) await setImmediate();
    signal?.throwIfAborted();
    const filters = filtersIn(dictionary);
    if (filters.length === 0 || /\/Subtype\s*\/Image\b/.test(dictionary)) continue;
    const earlyChange = !/\/EarlyChange\s+0/.test(dictionary);
    if (await unpacksWithin(packed, filters, MAX_UNPACKED, earlyChange)) continue;
    if (!/\/EmbeddedFile\b/.test(dictionary)) throw tooLarge();
    attachments = false;
  }
  return { attachments };
}

interface PackedStream {
  readonly dictionary: string;
  readonly packed: Uint8Array;
}

/**
 * What stands between two streams is looked at once. The word may stand in a dictionary or in data too: what was said since
 * the object began holds until it ends.
 */
function* streamsOf(buffer: Buffer): Generator<PackedStream> {
  let said = "";
  let filtered = false;
  let end = 0;
  let from = 0;
  for (let at = buffer.indexOf(START); at !== -1; at = buffer.indexOf(START, from)) {
    const between = buffer.toString("latin1", Math.max(from, at - MAX_DICTIONARY), at);
    from = at + START.length;
    const object = between.lastIndexOf("obj");
    if (object !== -1 || between.endsWith("end")) {
      said = "";
      filtered = false;
    }
    if (between.endsWith("end")) continue;
    const own = object === -1 ? between : between.slice(object);
    said = said.length > MAX_DICTIONARY ? own : said + own;
    filtered ||= own.includes("/F");
    if (!filtered || !opening.test(own.slice(-200))) continue;
    const start = from + (buffer[from] === 13 && buffer[from + 1] === 10 ? 2 : 1);
    if (end < from) end = buffer.indexOf(END, from);
    yield { dictionary: said, packed: buffer.subarray(start, end === -1 ? buffer.length : end) };
    // The library reads no stream that doesn't end.
    if (end === -1) return;
  }
}

/** Signs of a name may be written by their number: `/F#6c`. Filters that stand elsewhere are taken for the usual one. */
function filtersIn(dictionary: string): Filter[] {
  const plain = dictionary.replaceAll(/#([\da-f]{2})/gi, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
  const named = plain.match(filterName) ?? [];
  if (named.length === 0) return /\/Filter\s+\d+\s+\d+\s+R\b/.test(plain) ? ["flate"] : [];
  return named.flatMap((name) => filterNames[name.slice(1)] ?? []);
}

function tooLarge(): ReadProblem {
  return new ReadProblem(
    "too_complex",
    `One of its streams unpacks to over ${MAX_UNPACKED / MIB} MB, more than a document needs.`,
  );
}
