import type { Probe, Reader } from "./reader.ts";

const extensions: readonly string[] = ["odt", "ott", "fodt"];
const mediaTypes: ReadonlySet<string> = new Set([
  "application/vnd.oasis.opendocument.text",
  "application/vnd.oasis.opendocument.text-template",
  "application/vnd.oasis.opendocument.text-master",
]);
/** Characters at the beginning of a file of XML that are looked through for its kind. */
const HEAD_LENGTH = 8192;

/** OpenDocument texts: body, headers, footers, notes, comments, text boxes and formulas. */
export const odtReader: Reader = {
  id: "odt",
  version: 2,
  format: "odt",
  name: "OpenDocument text",
  extensions,
  library: "own",
  recognises: (probe) =>
    isFlat(probe) ||
    (probe.mediaType !== null &&
      (mediaTypes.has(probe.mediaType) ||
        (probe.mediaType === "application/zip" && extensions.includes(probe.extension)))),
  async read(input) {
    const { readFlatOdt, readOdt } = await import("./odt/read-odt.ts");
    return input.text === null ? readOdt(input) : readFlatOdt(input.text.text);
  },
};

function isFlat({ text }: Probe): boolean {
  if (text === null || !text.text.trimStart().startsWith("<")) return false;
  const head = text.text.slice(0, HEAD_LENGTH);
  return (
    head.includes("<office:document") &&
    /office:mimetype="application\/vnd\.oasis\.opendocument\.text/.test(head)
  );
}
