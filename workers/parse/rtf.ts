import type { Reader } from "./reader.ts";

/** Rich text: body, headers, footers, notes, comments and text boxes, in any code page. */
export const rtfReader: Reader = {
  id: "rtf",
  version: 2,
  format: "rtf",
  name: "Rich text",
  extensions: ["rtf"],
  library: "own",
  recognises: (probe) => probe.mediaType === "application/rtf",
  async read(input) {
    const { readRtf } = await import("./rtf/read-rtf.ts");
    return readRtf(input);
  },
};
