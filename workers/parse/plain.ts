import type { Reader } from "./reader.ts";
import { textOf } from "./text-of.ts";

/** Any text that no other reader takes. */
export const plainReader: Reader = {
  id: "plain",
  version: 1,
  format: "text",
  name: "Plain text",
  extensions: ["txt", "text", "log"],
  library: "own",
  recognises: (probe) => probe.text !== null,
  read(input) {
    const { text, encoding, warnings } = textOf(input);
    return {
      title: null,
      parts: [{ text, markup: "plain", locator: null, lines: { kind: "same", first: input.firstLine } }],
      metadata: { encoding },
      warnings,
    };
  },
};
