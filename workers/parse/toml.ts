import { dataTitle } from "./data-title.ts";
import type { Reader } from "./reader.ts";
import { parseToml } from "./safe-toml.ts";
import { textOf } from "./text-of.ts";

/** Parsing serves the title alone, so a larger file goes without. */
const MAX_PARSED_LENGTH = 256 * 1024;

/** TOML as it stands in the file, so that a hit shows the real lines. */
export const tomlReader: Reader = {
  id: "toml",
  version: 1,
  format: "toml",
  name: "TOML",
  extensions: ["toml"],
  library: "smol-toml 1.9",
  recognises: (probe) => probe.text !== null && probe.extension === "toml",
  async read(input) {
    const { text, encoding, warnings } = textOf(input);
    const parsed = text.length > MAX_PARSED_LENGTH ? null : await parseToml(text);
    return {
      title: parsed?.ok === true ? dataTitle(parsed.value) : null,
      parts: [{ text, markup: "code", locator: null, lines: { kind: "same", first: input.firstLine } }],
      metadata: { encoding },
      warnings:
        parsed?.ok === false
          ? [...warnings, `Its TOML was not understood (${parsed.problem}); it was indexed as text.`]
          : warnings,
    };
  },
};
