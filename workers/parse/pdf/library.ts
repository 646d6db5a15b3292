import { createRequire } from "node:module";
import { dirname, join, sep } from "node:path";
import type { PDFDocumentLoadingTask } from "pdfjs-dist";

/** Nothing is drawn here, but the library names these when it loads. */
function NotDrawn(): void {}

let library: Promise<typeof import("pdfjs-dist")> | null = null;
const errorsAlone = 0;

/** Starts to open a PDF. Its scripts and forms are not run, nothing is fetched, no code is made from its content. */
export async function loadPdf(bytes: Uint8Array): Promise<PDFDocumentLoadingTask> {
  library ??= loadLibrary();
  const { getDocument } = await library;
  const folder = dirname(createRequire(import.meta.url).resolve("pdfjs-dist/package.json"));
  const inside = (name: string): string => `${join(folder, name)}${sep}`;
  return getDocument({
    // The library takes the buffer away from its owner.
    data: Uint8Array.from(bytes),
    // Without these many texts in Chinese, Japanese and Korean are lost in silence.
    cMapUrl: inside("cmaps"),
    cMapPacked: true,
    standardFontDataUrl: inside("standard_fonts"),
    wasmUrl: inside("wasm"),
    iccUrl: inside("iccs"),
    isEvalSupported: false,
    enableXfa: false,
    disableFontFace: true,
    useSystemFonts: false,
    isOffscreenCanvasSupported: false,
    useWorkerFetch: false,
    verbosity: errorsAlone,
  });
}

async function loadLibrary(): Promise<typeof import("pdfjs-dist")> {
  const scope = globalThis as Record<string, unknown>;
  for (const name of ["DOMMatrix", "ImageData", "Path2D"]) scope[name] ??= NotDrawn;
  return import("pdfjs-dist/legacy/build/pdf.mjs");
}
