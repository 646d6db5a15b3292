import type { PDFDocumentProxy } from "pdfjs-dist";
import type { EmbeddedFile } from "../reader.ts";

const MAX_FILES = 200;
const MAX_BYTES = 64 * 1024 * 1024;

interface Attachment {
  readonly filename?: string;
  readonly content?: Uint8Array | null;
}

/** Files attached to the document as a whole. */
export async function readAttachments(document: PDFDocumentProxy): Promise<EmbeddedFile[]> {
  const attachments = (await document.getAttachments()) as Record<string, Attachment> | null;
  return Object.entries(attachments ?? {}).flatMap(([key, { filename, content }]) =>
    content instanceof Uint8Array ? [{ name: filename || key, bytes: content }] : [],
  );
}

/** Those that are taken; what is left out is said. */
export function withinBounds(files: readonly EmbeddedFile[], warnings: string[]): EmbeddedFile[] {
  let bytes = 0;
  const taken = files.slice(0, MAX_FILES).filter((file) => (bytes += file.bytes.length) <= MAX_BYTES);
  if (taken.length < files.length)
    warnings.push(
      `${files.length - taken.length} of ${files.length} attached files were left out: they are too many or too large.`,
    );
  return taken;
}
