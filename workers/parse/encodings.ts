/** What TextDecoder does not know by these names, iconv-lite does. */
const byIconv: ReadonlySet<string> = new Set([
  "utf-32le",
  "utf-32be",
  "ibm855",
  "maccyrillic",
  "macroman",
  "hz",
]);

/** What iconv-lite knows too, but no file of text is written in. */
const noEncodings: ReadonlySet<string> = new Set(["hex", "base64"]);

/** Text in the encoding, bad sequences replaced; null when the encoding is unknown. */
export async function decodeAs(bytes: Uint8Array, encoding: string): Promise<string | null> {
  let name = encoding.toLowerCase();
  if (!byIconv.has(name)) {
    try {
      const decoder = new TextDecoder(name);
      // This one, which has many names, Node 20 decodes without quotation marks, dashes and the euro.
      if (decoder.encoding !== "windows-1252") return decoder.decode(bytes);
      name = "windows-1252";
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
    }
  }
  const { default: iconv } = await import("iconv-lite");
  if (noEncodings.has(name) || !iconv.encodingExists(name)) return null;
  return iconv.decode(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), name);
}
