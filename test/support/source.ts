import { expect } from "vitest";
import { codeReader } from "../../workers/parse/code.ts";
import type { OutlineEntry, Part } from "../../workers/parse/reader.ts";
import { parseAs } from "./parse.ts";

/** The one part that a source text gives, which is the text as it is. */
export async function sourcePart(name: string, source: string): Promise<Part> {
  const { parts } = await parseAs(name, source, { readers: [codeReader] });
  expect(parts).toHaveLength(1);
  expect(parts[0]).toMatchObject({ text: source, markup: "code", lines: { kind: "same", first: 1 } });
  return parts[0] as Part;
}

/** Each symbol as `<first line>-<last line> <heading>`, 1-based, indented by level. */
export async function symbolsOf(name: string, source: string): Promise<string[]> {
  const shown = ({ level, line, endLine, text }: OutlineEntry): string =>
    `${"  ".repeat(level - 1)}${line + 1}-${endLine} ${text}`;
  return ((await sourcePart(name, source)).outline ?? []).map(shown);
}
