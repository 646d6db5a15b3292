import { out, paint, printJson } from "./print.ts";
import { withClient, type GlobalFlags } from "./session.ts";

const NAME_COLUMNS = 36;
const EXTENSIONS_COLUMNS = 44;

/** Prints the table of formats: name, usual extensions, what reads them. */
export async function formats(flags: GlobalFlags): Promise<void> {
  await withClient(flags, async (client) => {
    const result = await client.call("system.formats", {});
    if (flags.json) return printJson(result);
    for (const { name, extensions, library } of result.formats) {
      // Readers that only tell a file apart have no extension of their own.
      if (extensions.length === 0) continue;
      const [first = "", ...more] = lines(extensions.map((extension) => `.${extension}`));
      out(`${column(name)}${first.padEnd(EXTENSIONS_COLUMNS)}${paint.dim(library)}`);
      for (const line of more) out(`${" ".repeat(NAME_COLUMNS)}${line}`);
    }
    for (const { id, extensions, when } of result.processors) {
      const files = extensions.map((extension) => `.${extension}`).join(" ");
      out(`${column(id)}${files.padEnd(EXTENSIONS_COLUMNS)}${paint.dim(`external processor, ${when}`)}`);
    }
    out(paint.dim("What a file is, its bytes decide; the extension only helps."));
    return undefined;
  });
}

/** A longer name pushes the rest of its line to the right. */
function column(name: string): string {
  return `${name}  `.padEnd(NAME_COLUMNS);
}

/** Words in lines that fit their column. */
function lines(words: readonly string[]): string[] {
  const filled: string[] = [];
  let line = "";
  for (const word of words) {
    if (line !== "" && line.length + 1 + word.length >= EXTENSIONS_COLUMNS) {
      filled.push(line);
      line = "";
    }
    line += line === "" ? word : ` ${word}`;
  }
  return [...filled, line];
}
