import { type Grammar, grammarOf } from "./code/grammars.ts";
import type { OutlineEntry, Part, Reader } from "./reader.ts";
import { languageExtensions, languageOf } from "./languages.ts";
import { textOf } from "./text-of.ts";

/** Source code, kept as it is; where its grammar is known, cut at functions and classes. */
export const codeReader: Reader = {
  id: "code",
  version: 2,
  format: "code",
  name: "Source code",
  extensions: languageExtensions,
  library: "web-tree-sitter 0.27",
  recognises: (probe) =>
    probe.text !== null && languageOf(probe.name, probe.extension, probe.text.text) !== null,
  async read(input) {
    const { text, encoding, warnings } = textOf(input);
    const language = languageOf(input.name, input.extension, text);
    const grammar = grammarOf(language, input.extension);
    const outline = grammar === null ? null : await symbolsOf(text, grammar);
    const lines = { kind: "same", first: input.firstLine } as const;
    const part: Part = { text, markup: "code", locator: null, lines };
    return {
      title: input.name,
      parts: [outline === null ? part : { ...part, outline }],
      metadata: { encoding, language },
      warnings,
    };
  },
};

async function symbolsOf(text: string, grammar: Grammar): Promise<OutlineEntry[] | null> {
  const { sourceOutline } = await import("./code/source-outline.ts");
  return sourceOutline(text, grammar);
}
