import type { Reader } from "./reader.ts";
import { languageExtensions, languageOf } from "./languages.ts";
import { textOf } from "./text-of.ts";

/** Source code, kept as it is. */
export const codeReader: Reader = {
  id: "code",
  version: 1,
  format: "code",
  name: "Source code",
  extensions: languageExtensions,
  library: "own",
  recognises: (probe) =>
    probe.text !== null && languageOf(probe.name, probe.extension, probe.text.text) !== null,
  read(input) {
    const { text, encoding, warnings } = textOf(input);
    return {
      title: input.name,
      parts: [{ text, markup: "code", locator: null, lines: { kind: "same", first: input.firstLine } }],
      metadata: { encoding, language: languageOf(input.name, input.extension, text) },
      warnings,
    };
  },
};
