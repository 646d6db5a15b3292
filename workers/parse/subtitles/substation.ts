import type { Cue, Transcript } from "./cue.ts";

const usualFields = "layer start end style name marginl marginr marginv effect text".split(" ");
const kept: ReadonlySet<string> = new Set(["title", "original script", "original translation"]);

/** SubStation Alpha: lines of dialogue in the order that a line of format gives. */
export function readSubStation(text: string): Transcript {
  const cues: Cue[] = [];
  const metadata: Record<string, string> = {};
  let fields = usualFields;
  let section = "";
  let badTimes = 0;
  for (const line of text.split("\n")) {
    const colon = line.indexOf(":");
    const name = line.slice(0, Math.max(0, colon)).trim().toLowerCase();
    const value = line.slice(colon + 1).trim();
    if (line.startsWith("[")) section = line.trim().toLowerCase();
    else if (section === "[script info]" && kept.has(name) && value !== "")
      metadata[name] = value.slice(0, 300);
    else if (section === "[events]" && name === "format")
      fields = value.split(",").map((field) => field.trim().toLowerCase());
    else if (section === "[events]" && name === "dialogue") {
      const cue = readDialogue(value, fields);
      if (cue === null) badTimes++;
      else if (cue.speeches.length > 0) cues.push(cue);
    }
  }
  return { cues: cues.toSorted((a, b) => a.startMs - b.startMs), metadata, badTimes };
}

function readDialogue(value: string, fields: readonly string[]): Cue | null {
  const cells: string[] = [];
  let from = 0;
  // The text is the last field, commas and all.
  while (cells.length < fields.length - 1) {
    const comma = value.indexOf(",", from);
    if (comma === -1) return null;
    cells.push(value.slice(from, comma));
    from = comma + 1;
  }
  cells.push(value.slice(from));
  const cell = (name: string): string => (cells[fields.indexOf(name)] ?? "").trim();
  const startMs = readTime(cell("start"));
  const endMs = readTime(cell("end"));
  if (startMs === null || endMs === null) return null;
  const speaker = cell("name") || cell("actor");
  const text = plainText(cell("text"));
  return {
    startMs,
    endMs,
    speeches: text === "" ? [] : [{ speaker: speaker === "" ? null : speaker, text }],
  };
}

function readTime(text: string): number | null {
  const [, hours, minutes, seconds, fraction] =
    /^(\d{1,4}):(\d{1,2}):(\d{1,2})[.:](\d{1,3})$/.exec(text) ?? [];
  if (fraction === undefined) return null;
  const whole = (Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds);
  return whole * 1000 + Number(fraction.padEnd(3, "0"));
}

/** Empty for drawings, which are written as text. */
function plainText(text: string): string {
  if (/\{[^{}]{0,300}\\p[1-9]/.test(text)) return "";
  return text
    .replaceAll(/\{[^{}]{0,1000}\}/g, "")
    .replaceAll(/\\[Nn]/g, "\n")
    .replaceAll(String.raw`\h`, " ")
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .join("\n");
}
