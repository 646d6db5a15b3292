import { readCueText } from "./cue-text.ts";
import { type Cue, readTiming, type Transcript } from "./cue.ts";

/** Fields of a WebVTT header that are kept, and lines of it that are looked at. */
const MAX_HEADER_LINES = 50;

/** WebVTT: a header, then blocks that a blank line ends; notes and styles have no time and are left out. */
export function readWebVtt(text: string): Transcript {
  const lines = text.split("\n");
  const metadata: Record<string, string> = {};
  const description = (lines[0] ?? "")
    .slice("WEBVTT".length)
    .replace(/^[\s-]+/, "")
    .trim();
  if (description !== "") metadata["header"] = description.slice(0, 300);
  for (const line of lines.slice(1, MAX_HEADER_LINES)) {
    const [, name, value] = /^([A-Za-z-]{1,40})[ \t]*[:=][ \t]*(\S.{0,300})$/.exec(line.slice(0, 400)) ?? [];
    if (line.trim() === "" || line.includes("-->")) break;
    if (name !== undefined && value !== undefined) metadata[name.toLowerCase()] = value.trim();
  }
  return { ...readCues(lines, true), metadata };
}

/** SubRip: a number, a time, the text. Blank lines inside a text are common. */
export function readSubRip(text: string): Transcript {
  return { ...readCues(text.split("\n"), false), metadata: {} };
}

interface OpenCue {
  readonly startMs: number;
  readonly endMs: number;
  readonly lines: string[];
}

/** `blankEnds`: a blank line ends a cue; otherwise only the next time does, with the number in front of it. */
function readCues(lines: readonly string[], blankEnds: boolean): Omit<Transcript, "metadata"> {
  const cues: Cue[] = [];
  let open: OpenCue | null = null;
  let badTimes = 0;
  const close = (): void => {
    if (open === null) return;
    const speeches = readCueText(open.lines);
    if (speeches.length > 0) cues.push({ startMs: open.startMs, endMs: open.endMs, speeches });
    open = null;
  };
  for (const line of lines) {
    const times = line.includes("-->") ? readTiming(line) : null;
    if (times !== null) {
      if (open !== null) dropNumber(open);
      close();
      open = { ...times, lines: [] };
    } else if (line.includes("-->")) {
      badTimes++;
      close();
    } else if (blankEnds && line.trim() === "") close();
    else open?.lines.push(line);
  }
  close();
  return { cues: cues.toSorted((a, b) => a.startMs - b.startMs), badTimes };
}

/** The number of the next cue was taken for this one's last line. */
function dropNumber({ lines }: OpenCue): void {
  if (
    /^\s*\d{1,7}\s*$/.test(lines.at(-1) ?? "") &&
    (lines.length === 1 || (lines.at(-2) ?? "").trim() === "")
  )
    lines.pop();
}
