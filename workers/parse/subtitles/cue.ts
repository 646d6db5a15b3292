/** Words of one speaker, or of nobody who is named. */
export interface Speech {
  readonly speaker: string | null;
  readonly text: string;
}

/** What is shown at one time. */
export interface Cue {
  readonly startMs: number;
  readonly endMs: number;
  readonly speeches: readonly Speech[];
}

export interface Transcript {
  /** By time. */
  readonly cues: readonly Cue[];
  readonly metadata: Readonly<Record<string, string>>;
  /** Lines that look like times and can't be read. */
  readonly badTimes: number;
}

const timing =
  /^[ \t]*(?:(\d{1,4}):)?(\d{1,2}):(\d{1,2})[.,](\d{1,3})[ \t]*-->[ \t]*(?:(\d{1,4}):)?(\d{1,2}):(\d{1,2})[.,](\d{1,3})/;

/** The times of a line "00:00:01,000 --> 00:00:02,000"; null for any other line. */
export function readTiming(line: string): { startMs: number; endMs: number } | null {
  const found = timing.exec(line.length > 300 ? line.slice(0, 300) : line);
  if (found === null) return null;
  return { startMs: milliseconds(found, 1), endMs: milliseconds(found, 5) };
}

function milliseconds(found: RegExpExecArray, from: number): number {
  const part = (at: number): number => Number(found[from + at] ?? 0);
  // "5" behind the point is half a second.
  const fraction = Number((found[from + 3] ?? "0").padEnd(3, "0"));
  return ((part(0) * 60 + part(1)) * 60 + part(2)) * 1000 + fraction;
}
