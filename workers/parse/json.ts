import { cleanText } from "./clean-text.ts";
import { dataTitle } from "./data-title.ts";
import type { Reader } from "./reader.ts";
import { textOf } from "./text-of.ts";

const extensions: readonly string[] = ["json", "jsonl", "ndjson", "json5", "jsonc", "geojson", "webmanifest"];
/** Parsing serves the title alone, so a larger or deeper file goes without. */
const MAX_PARSED_LENGTH = 1024 * 1024;
const MAX_DEPTH = 64;

/** JSON as it stands in the file, so that a hit shows the real lines; letters that are written by number are shown. */
export const jsonReader: Reader = {
  id: "json",
  version: 2,
  format: "json",
  name: "JSON",
  extensions,
  library: "own",
  recognises: (probe) => probe.text !== null && extensions.includes(probe.extension),
  read(input) {
    const { text, encoding, warnings } = textOf(input);
    const structure = input.extension === "json" ? inspect(text) : { title: null, warning: null };
    return {
      title: structure.title,
      parts: [
        {
          text: withLetters(text),
          markup: "code",
          locator: null,
          lines: { kind: "same", first: input.firstLine },
        },
      ],
      metadata: { encoding },
      warnings: structure.warning === null ? warnings : [...warnings, structure.warning],
    };
  },
};

/** Many programs write every letter beyond ASCII as \uXXXX: nobody would find a word of such a text. */
function withLetters(text: string): string {
  if (!text.includes(String.raw`\u`)) return text;
  const shown = text.replaceAll(/\\(?:u([\da-fA-F]{4})|[^])/g, (whole, code?: string) => {
    const value = code === undefined ? 0 : Number.parseInt(code, 16);
    return value < 0xa0 || value === 0x2028 || value === 0x2029 ? whole : String.fromCharCode(value);
  });
  return cleanText(shown);
}

function inspect(text: string): { title: string | null; warning: string | null } {
  if (text.length > MAX_PARSED_LENGTH || isDeep(text)) return { title: null, warning: null };
  try {
    return { title: dataTitle(JSON.parse(text)), warning: null };
  } catch (error) {
    // A malformed file is still text that can be found.
    const reason = error instanceof Error ? error.message : String(error);
    return { title: null, warning: `It is no valid JSON (${reason}) and was indexed as text.` };
  }
}

/** Brackets inside strings count too: the answer errs to the safe side. */
function isDeep(text: string): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x5b || code === 0x7b) depth++;
    else if (code === 0x5d || code === 0x7d) depth--;
    if (depth > MAX_DEPTH) return true;
  }
  return false;
}
