import { chunkParts } from "../../workers/chunk/chunk.ts";
import type { ChunkSettings } from "../../workers/contract.ts";
import type { Markup, Part } from "../../workers/parse/reader.ts";

export const base: ChunkSettings = {
  chunkSize: 1024,
  chunkOverlap: 200,
  strategy: "structured",
  separator: null,
  hard: false,
};

export function partOf(text: string, markup: Markup = "markdown"): Part {
  return { text, markup, locator: null, lines: { kind: "same", first: 1 } };
}

export function chunkTexts(
  text: string,
  settings: Partial<ChunkSettings> = {},
  markup: Markup = "markdown",
): string[] {
  const { chunks } = chunkParts([partOf(text, markup)], { ...base, ...settings });
  return chunks.map((chunk) => text.slice(chunk.charStart, chunk.charEnd));
}

/** Words of four letters, each 1.2 tokens with its space. */
export function words(count: number): string {
  const letter = (value: number): string => String.fromCharCode(97 + (value % 26));
  return Array.from(
    { length: count },
    (_, index) => `x${letter(index / 676)}${letter(index / 26)}${letter(index)}`,
  ).join(" ");
}
