import { mailKind } from "./mail/recognise.ts";
import type { Reader } from "./reader.ts";

/** One e-mail message; its attachments are read by the readers of their formats. */
export const emlReader: Reader = {
  id: "eml",
  version: 5,
  format: "email",
  name: "E-mail message",
  extensions: ["eml", "emlx"],
  library: "own, postal-mime 4.0",
  recognises: (probe) => mailKind(probe) === "message",
  async read(input) {
    const { readEml } = await import("./mail/read-eml.ts");
    return readEml(input);
  },
};
