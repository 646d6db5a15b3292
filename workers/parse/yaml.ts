import { dataTitle } from "./data-title.ts";
import type { Reader } from "./reader.ts";
import { MAX_YAML_LENGTH, parseYaml } from "./safe-yaml.ts";
import { textOf } from "./text-of.ts";

/** YAML as it stands in the file, so that a hit shows the real lines. */
export const yamlReader: Reader = {
  id: "yaml",
  version: 2,
  format: "yaml",
  name: "YAML",
  extensions: ["yaml", "yml"],
  library: "yaml 2.9",
  recognises: (probe) => probe.text !== null && (probe.extension === "yaml" || probe.extension === "yml"),
  async read(input) {
    const { text, encoding, warnings } = textOf(input);
    const parsed = text.length > MAX_YAML_LENGTH ? null : await parseYaml(text);
    const value = parsed?.ok === true ? parsed.value : null;
    return {
      title: dataTitle(value),
      parts: [{ text, markup: "code", locator: null, lines: { kind: "same", first: input.firstLine } }],
      metadata: { encoding },
      warnings:
        parsed?.ok === false
          ? [...warnings, `Its YAML was not understood (${parsed.problem}); it was indexed as text.`]
          : warnings,
    };
  },
};
