import type { ParsedFile, ReadInput } from "../reader.ts";
import { titleFrom } from "../title.ts";
import { usableTitle } from "../word/properties.ts";
import { wordFile } from "../word/word-file.ts";
import { RtfFonts } from "./fonts.ts";
import { RtfReading } from "./rtf-reading.ts";
import { walkRtf } from "./tokens.ts";

/** @throws ReadProblem. */
export async function readRtf(input: ReadInput, maxBlocks?: number): Promise<ParsedFile> {
  const { default: iconv } = await import("iconv-lite");
  const reading = new RtfReading(new RtfFonts(iconv), maxBlocks);
  walkRtf(input.bytes, reading);
  const warnings = reading.open ? ["The end of the file is missing: it is cut off or damaged."] : [];
  const body = reading.layout.frames.finish();
  const { notes, comments, headers, footers } = reading.layout.frames;
  const metadata: Record<string, string> = {};
  for (const [name, value] of Object.entries(reading.info)) {
    const clean = titleFrom(value);
    if (clean !== null && name !== "title") metadata[name] = clean;
  }
  return wordFile({
    title: usableTitle(titleFrom(reading.info["title"])),
    metadata,
    body,
    headers,
    footers,
    notes,
    comments,
    pictures: [],
    warnings,
    budget: reading.layout.frames.budget,
    children: [],
    pictureCount: 0,
  });
}
