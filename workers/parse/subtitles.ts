import type { Probe, Reader } from "./reader.ts";
import { textOf } from "./text-of.ts";

const extensions: readonly string[] = ["srt", "vtt", "ass", "ssa"];
/** Characters in which the first cue must begin. */
const REACH = 4096;
const cueTime = /^[ \t]*(?:\d{1,4}:)?\d{1,2}:\d{1,2}[.,]\d{1,3}[ \t]*-->/m;
const opening = /^(?:WEBVTT(?:[ \t\n]|$)|\[Script Info\])/i;
const numberedCue = /^\s*\d{1,6}[ \t]*\n[ \t]*(?:\d{1,4}:)?\d{1,2}:\d{1,2}[.,]\d{1,3}[ \t]*-->/;

/** What is said in a film, in passages of about a chunk, each with the time of its first cue. */
export const subtitlesReader: Reader = {
  id: "subtitles",
  version: 2,
  format: "subtitles",
  name: "Subtitles",
  extensions,
  library: "own",
  recognises: (probe) => probe.text !== null && isSubtitles(probe, probe.text.text),
  async read(input) {
    const { readSubtitles } = await import("./subtitles/read-subtitles.ts");
    return readSubtitles(textOf(input), input.limits.chunkTokens);
  },
};

function isSubtitles({ extension }: Probe, text: string): boolean {
  const head = text.slice(0, REACH);
  return (
    opening.test(head) || numberedCue.test(head) || (extensions.includes(extension) && cueTime.test(text))
  );
}
