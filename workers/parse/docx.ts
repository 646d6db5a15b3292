import type { Reader } from "./reader.ts";

const extensions: readonly string[] = ["docx", "docm", "dotx", "dotm"];
const mediaTypes: ReadonlySet<string> = new Set([
  "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  "application/vnd.openxmlformats-officedocument.wordprocessingml.template",
  "application/vnd.ms-word.document.macroenabled.12",
  "application/vnd.ms-word.template.macroenabled.12",
]);

/**
 * Word documents: body, headers, footers, notes, comments, text boxes and what is embedded. They have no pages until they
 * are laid out, so that passages are told by their headings.
 */
export const docxReader: Reader = {
  id: "docx",
  version: 2,
  format: "docx",
  name: "Word document",
  extensions,
  library: "own (saxes 6)",
  recognises: ({ mediaType, extension }) =>
    mediaType !== null &&
    (mediaTypes.has(mediaType.toLowerCase()) ||
      (mediaType === "application/zip" && extensions.includes(extension))),
  async read(input) {
    const { readDocx } = await import("./docx/read-docx.ts");
    return readDocx(input);
  },
};
