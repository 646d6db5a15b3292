import type { Probe, Reader } from "./reader.ts";

const extensions: readonly string[] = ["html", "htm", "xhtml", "shtml"];
/** Extensions that say little. Names of other formats are believed: their files may well begin with a tag. */
const vague: ReadonlySet<string> = new Set(["", "txt", "asp", "aspx", "jsp", "cgi"]);
const opening = /^\s*(?:<\?xml[^>]{0,200}\?>\s*)?(?:<!--[^]{0,500}?-->\s*)?(?:<!doctype\s+html|<html[\s>])/i;

/**
 * HTML as Markdown, without page chrome. Its passages have headings and offsets but no line numbers: those of the Markdown
 * can't be found in the file, and those of the file mean nothing to the people who read the page.
 */
export const htmlReader: Reader = {
  id: "html",
  version: 4,
  format: "html",
  name: "Web page",
  extensions,
  library: "htmlparser2 10.1, Readability 0.6",
  recognises: (probe) =>
    probe.text !== null && (extensions.includes(probe.extension) || looksLikeHtml(probe)),
  async read(input) {
    const { readPage } = await import("./html/read-page.ts");
    return readPage(input);
  },
};

function looksLikeHtml(probe: Probe): boolean {
  return vague.has(probe.extension) && opening.test(probe.text?.text.slice(0, 1000) ?? "");
}
