import { mailKind } from "./mail/recognise.ts";
import type { Reader } from "./reader.ts";

/** A page that a browser or an office program saved with all that belongs to it, in the form of a message. */
export const mhtmlReader: Reader = {
  id: "mhtml",
  version: 3,
  format: "mhtml",
  name: "Saved web page",
  extensions: ["mhtml", "mht"],
  library: "own, htmlparser2 10.1",
  recognises: (probe) => mailKind(probe) === "archive",
  async read(input) {
    const { readArchive } = await import("./mail/read-archive.ts");
    return readArchive(input);
  },
};
