/** Statistics need no more than this. */
const SAMPLE = 64 * 1024;
/** Kept in front of the first byte that is no ASCII. */
const LEAD = 1024;
const MIN_CONFIDENCE = 0.3;
const FALLBACK = "windows-1252";

/** Names of the detector → names that decoders know. Supersets are taken, so that rare characters come out too. */
const aliases: Readonly<Record<string, string>> = {
  ascii: FALLBACK,
  "iso-8859-1": FALLBACK,
  gb2312: "gb18030",
  "euc-tw": "big5",
  "tis-620": "windows-874",
};

type Detector = (typeof import("jschardet"))["default"];

/** The likeliest legacy encoding of bytes that are not UTF-8. */
export async function guessEncoding(bytes: Uint8Array): Promise<string> {
  const { default: jschardet } = await import("jschardet");
  let first = 0;
  while (first < bytes.length && (bytes[first] ?? 0) < 0x80) first++;
  const start = Math.max(0, first - LEAD);
  const sample = Buffer.from(bytes.buffer, bytes.byteOffset + start, Math.min(SAMPLE, bytes.length - start));
  const guess = detect(jschardet, sample);
  const name = guess.encoding?.toLowerCase() ?? FALLBACK;
  if (guess.confidence < MIN_CONFIDENCE || name.startsWith("utf-")) return FALLBACK;
  return aliases[name] ?? name;
}

/** What a file says of its encoding can make the detector throw: such a file has said nothing. */
function detect(jschardet: Detector, sample: Buffer): { encoding: string | null; confidence: number } {
  try {
    return jschardet.detect(sample);
  } catch {
    return { encoding: null, confidence: 0 };
  }
}
