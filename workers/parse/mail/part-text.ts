import { isUtf8 } from "node:buffer";
import { cleanText } from "../clean-text.ts";
import { decodeText } from "../decode.ts";
import { decodeAs } from "../encodings.ts";
import type { DecodedText } from "../reader.ts";
import type { MimePart } from "./mime.ts";
import { decodeBody } from "./transfer.ts";

/** Labels of Western text that programs put on anything. */
const western: ReadonlySet<string> = new Set([
  "iso-8859-1",
  "iso_8859-1",
  "latin1",
  "windows-1252",
  "cp1252",
]);
/** Labels that say nothing. */
const empty: ReadonlySet<string> = new Set([
  "",
  "us-ascii",
  "ascii",
  "unknown-8bit",
  "x-unknown",
  "unknown",
  "binary",
  "default",
]);
/** Labels → the larger encodings that files under them are really written in. */
const supersets: Readonly<Record<string, string>> = {
  gb2312: "gb18030",
  gbk: "gb18030",
  "iso-8859-8-i": "iso-8859-8",
};

/**
 * The text of a part in the charset that it names; in the one that its bytes show where it names none, a wrong one or one that
 * nobody knows. `charset`: what is known better than the part itself.
 */
export async function partText(part: MimePart, charset: string | null = null): Promise<DecodedText> {
  const decoded = await textOfBytes(decodeBody(part), charset ?? part.params.get("charset") ?? "");
  if (!isFlowed(part)) return decoded;
  return { ...decoded, text: unflowed(decoded.text, /^yes$/i.test(part.params.get("delsp") ?? "")) };
}

/** The same for bytes and the label of their encoding, which may be wrong or empty. */
export async function textOfBytes(bytes: Buffer, charset: string): Promise<DecodedText> {
  const named = (await inCharset(bytes, charset.trim().toLowerCase())) ?? (await decodeText(bytes));
  const latin = { text: cleanText(bytes.toString("latin1")), encoding: "windows-1252", warnings: [] };
  return named ?? latin;
}

/** Null where the label says nothing, or something that the bytes contradict. */
async function inCharset(bytes: Buffer, label: string): Promise<DecodedText | null> {
  // Bytes that are UTF-8 by chance are hardly ever text.
  if (empty.has(label) || (western.has(label) && isUtf8(bytes))) return null;
  if (western.has(label)) return decodedAs(bytes, "windows-1252");
  if (label.startsWith("utf-16") && !bytes.includes(0)) return null;
  return decodedAs(bytes, (Object.hasOwn(supersets, label) ? supersets[label] : null) ?? label);
}

async function decodedAs(bytes: Buffer, encoding: string): Promise<DecodedText | null> {
  const text = await decodeAs(bytes, encoding);
  if (text === null) return null;
  if (!text.includes("\uFFFD")) return { text: cleanText(text), encoding, warnings: [] };
  const better = await decodeText(bytes);
  if (better !== null && !better.text.includes("\uFFFD")) return better;
  return {
    text: cleanText(text),
    encoding,
    warnings: [`Some characters are not ${encoding} and were replaced.`],
  };
}

function isFlowed(part: MimePart): boolean {
  return part.type === "text/plain" && /^flowed$/i.test(part.params.get("format") ?? "");
}

/** RFC 3676: a line that ends with a blank goes on in the next, when both are quoted equally deep. */
function unflowed(text: string, deleteSpace: boolean): string {
  const out: string[] = [];
  let pieces: string[] = [];
  let openDepth = -1;
  const close = (): void => {
    if (openDepth >= 0) out.push(`${"> ".repeat(openDepth)}${pieces.join("")}`);
    pieces = [];
    openDepth = -1;
  };
  for (const line of text.split("\n")) {
    const marks = /^>*/.exec(line)?.[0].length ?? 0;
    const content = line.slice(marks).replace(/^ /, "");
    if (openDepth !== marks) close();
    openDepth = marks;
    const soft = content.endsWith(" ") && content !== "-- ";
    pieces.push(soft && deleteSpace ? content.slice(0, -1) : content);
    if (!soft) close();
  }
  close();
  return out.map((line) => line.trimEnd()).join("\n");
}
