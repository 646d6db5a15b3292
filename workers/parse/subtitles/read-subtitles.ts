import { cleanText } from "../clean-text.ts";
import { type DecodedText, type ParsedFile, ReadProblem } from "../reader.ts";
import { titleFrom } from "../title.ts";
import type { Transcript } from "./cue.ts";
import { joinCues } from "./passages.ts";
import { readSubStation } from "./substation.ts";
import { readSubRip, readWebVtt } from "./timed-lines.ts";

/** Share of a chunk that a passage fills at most, and tokens it never passes: short passages lead closer to the place. */
const PASSAGE_SHARE = 0.8;
const MAX_PASSAGE_TOKENS = 400;
const MAX_SPEAKERS_NAMED = 50;

export function readSubtitles({ text, encoding, warnings }: DecodedText, chunkTokens: number): ParsedFile {
  const { cues, metadata, badTimes } = transcriptOf(text);
  if (cues.length === 0) throw new ReadProblem("no_text", "The subtitles hold no cue with a text.");
  const budget = Math.min(MAX_PASSAGE_TOKENS, Math.floor(chunkTokens * PASSAGE_SHARE));
  const speakers = new Set(cues.flatMap((cue) => cue.speeches.map((speech) => speech.speaker)));
  speakers.delete(null);
  const bad = `${badTimes} time(s) could not be read; what was said then was left out.`;
  return {
    title: titleFrom(metadata["title"]),
    parts: joinCues(cues, budget).map((passage) => ({
      text: cleanText(passage.text),
      markup: "plain",
      locator: { timestampMs: passage.startMs },
      lines: null,
    })),
    metadata: {
      encoding,
      ...metadata,
      cues: cues.length,
      durationMs: cues.reduce((latest, cue) => Math.max(latest, cue.endMs), 0),
      ...(speakers.size === 0 ? {} : { speakers: [...speakers].slice(0, MAX_SPEAKERS_NAMED) }),
    },
    warnings: badTimes === 0 ? warnings : [...warnings, bad],
  };
}

function transcriptOf(text: string): Transcript {
  if (/^WEBVTT/i.test(text)) return readWebVtt(text);
  return /^\s*\[Script Info\]/i.test(text) ? readSubStation(text) : readSubRip(text);
}
