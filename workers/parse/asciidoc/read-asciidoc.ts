import { readFrontMatter } from "../front-matter.ts";
import { MarkupLines } from "../markup/markup-lines.ts";
import { noteFields } from "../note-fields.ts";
import type { ParsedFile, ReadInput } from "../reader.ts";
import { textOf } from "../text-of.ts";
import { titleFrom } from "../title.ts";
import { AsciidocAttributes } from "./asciidoc-attributes.ts";
import { AsciidocReading } from "./asciidoc-reading.ts";

export async function readAsciidoc(input: ReadInput): Promise<ParsedFile> {
  const { text, encoding, warnings } = textOf(input);
  const front = input.snapshot ? null : await readFrontMatter(text);
  const bodyStart = front?.bodyStart ?? 0;
  const skipped = text.slice(0, bodyStart).split("\n").length - 1;
  const out = new MarkupLines();
  const attributes = new AsciidocAttributes();
  const reading = new AsciidocReading({
    lines: text.slice(bodyStart).split("\n"),
    first: input.firstLine + skipped,
    out,
    attributes,
  });
  reading.run();
  const fields = noteFields(front?.fields ?? {});
  return {
    title: fields.title ?? titleFrom(reading.title) ?? titleFrom(attributes.get("doctitle")),
    parts: [out.part()],
    metadata: { encoding, ...attributes.metadata(), ...fields },
    warnings: typeof front?.warning === "string" ? [...warnings, front.warning] : warnings,
  };
}
