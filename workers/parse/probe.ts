import { decodeText } from "./decode.ts";
import type { Probe } from "./reader.ts";
import { displayPath } from "../path-bytes.ts";

/** Text that is one only to a program: its signature → its media type. */
const textSignatures: readonly (readonly [string, string])[] = [
  ["{\\rtf", "application/rtf"],
  ["%!PS-Adobe", "application/postscript"],
];
/** Where a PDF's signature may stand. */
const PDF_REACH = 1024;

/** Tells by its bytes what a file is; its name only helps. `relativePath` is in escaped form. */
export async function probeFile(bytes: Uint8Array, relativePath: string): Promise<Probe> {
  const name = displayPath(relativePath.slice(relativePath.lastIndexOf("/") + 1));
  const dot = name.lastIndexOf(".");
  const extension = dot > 0 ? name.slice(dot + 1).toLowerCase() : "";
  const base = { bytes, name, extension };
  if (isPdf(bytes, extension)) return { ...base, text: null, mediaType: "application/pdf" };
  const signature = textSignatures.find(([start]) => startsWith(bytes, start));
  if (signature !== undefined) return { ...base, text: null, mediaType: signature[1] };
  const text = await decodeText(bytes);
  return { ...base, text, mediaType: text === null ? await mediaTypeOf(bytes) : null };
}

/** Junk before the signature is common, and text about PDF too. */
function isPdf(bytes: Uint8Array, extension: string): boolean {
  if (startsWith(bytes, "%PDF-")) return true;
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, PDF_REACH)).toString(
    "latin1",
  );
  const at = head.indexOf("%PDF-");
  return at !== -1 && (extension === "pdf" || head.slice(0, at).trim() === "");
}

async function mediaTypeOf(bytes: Uint8Array): Promise<string | null> {
  const { fileTypeFromBuffer } = await import("file-type");
  return (await fileTypeFromBuffer(bytes))?.mime ?? null;
}

function startsWith(bytes: Uint8Array, text: string): boolean {
  for (let at = 0; at < text.length; at++) if (bytes[at] !== text.charCodeAt(at)) return false;
  return bytes.length >= text.length;
}
