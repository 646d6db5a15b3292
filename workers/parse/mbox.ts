import { mailKind } from "./mail/recognise.ts";
import type { Reader } from "./reader.ts";

/** A mailbox: messages one behind the other in one file. */
export const mboxReader: Reader = {
  id: "mbox",
  version: 5,
  format: "mbox",
  name: "Mailbox",
  extensions: ["mbox", "mbx"],
  library: "own, postal-mime 4.0",
  recognises: (probe) => mailKind(probe) === "mailbox",
  async read(input) {
    const { readMailbox } = await import("./mail/read-mailbox.ts");
    return readMailbox(input);
  },
};
