import { estimateTokens } from "../../chunk/tokens.ts";
import type { Cue } from "./cue.ts";

/** What is said in a stretch of time. */
export interface Passage {
  readonly startMs: number;
  readonly text: string;
}

/** From this share of the budget on a passage ends where a sentence does, or where nobody speaks for a while. */
const GOOD_SHARE = 0.6;
const PAUSE_MS = 10_000;
/** Nobody speaks for this long: the text goes on in a new line. */
const BREAK_MS = 1500;
/** Cues that follow at once repeat what is still to be read. */
const REPEAT_MS = 100;
const sentenceEnd = /[.!?…。！？؟।][)\]"'”’»」』]*$/;
/** Programs that write down meetings put who speaks in front of the words. */
const named = /^\p{Lu}[\p{L}\p{N}'’.-]{0,30}(?: \p{Lu}[\p{L}\p{N}'’.-]{0,30}){0,3}(?: \([^()\n]{1,40}\))?: /u;
const wide = /[\u3000-\u30FF\u3400-\u9FFF\uF900-\uFAFF\uFF00-\uFFEF]$/;

interface Open {
  readonly startMs: number;
  readonly pieces: string[];
  tokens: number;
  speaker: string | null;
}

/** Cues joined up to `budget` tokens. A sentence that is spread over cues is one line; each speaker begins a new one. */
export function joinCues(cues: readonly Cue[], budget: number): Passage[] {
  const passages: Passage[] = [];
  let open: Open | null = null;
  let endMs = 0;
  let shown = "";
  const close = (): void => {
    if (open !== null) passages.push({ startMs: open.startMs, text: open.pieces.join("") });
    open = null;
  };
  for (const cue of cues) {
    const rolling = cue.startMs - endMs <= REPEAT_MS && cue.startMs >= endMs - REPEAT_MS;
    for (const { speaker, text: whole } of cue.speeches) {
      const text = rolling ? withoutRepeated(whole, shown, cue.endMs - cue.startMs <= REPEAT_MS) : whole;
      shown = whole.slice(whole.lastIndexOf("\n") + 1);
      if (text === "") continue;
      const cost = estimateTokens(text) + 1;
      if (open !== null && endsBefore(open, cost, cue.startMs - endMs, budget)) close();
      open ??= { startMs: cue.startMs, pieces: [], tokens: 0, speaker: null };
      add(open, speaker, text, cue.startMs - endMs);
      open.tokens += cost;
    }
    endMs = Math.max(endMs, cue.endMs);
  }
  close();
  return passages;
}

function endsBefore({ tokens, pieces }: Open, cost: number, pauseMs: number, budget: number): boolean {
  if (tokens + cost > budget) return true;
  return tokens >= budget * GOOD_SHARE && (pauseMs >= PAUSE_MS || sentenceEnd.test(pieces.at(-1) ?? ""));
}

function add(open: Open, speaker: string | null, text: string, pauseMs: number): void {
  const { pieces } = open;
  const last = pieces.at(-1);
  // Lines of a cue are broken to fit the picture, but for those of a dialogue.
  const lines = text.split(/\n(?=[-–—♪•])/).map((line) => joinLines(line.split("\n")));
  const words = lines.join("\n");
  const sameSpeaker = speaker === open.speaker;
  const line = speaker !== null && !sameSpeaker ? `${speaker}: ${words}` : words;
  open.speaker = speaker;
  if (last === undefined) pieces.push(line);
  else if (!sameSpeaker || pauseMs >= BREAK_MS || /^[-–—♪•]/.test(words) || named.test(words))
    pieces.push(`\n${line}`);
  else pieces.push(wide.test(last) ? line : ` ${line}`);
}

function joinLines(lines: readonly string[]): string {
  let text = "";
  for (const line of lines) text += text === "" || wide.test(text) ? line : ` ${line}`;
  return text;
}

/** Live captions roll: a cue begins with the line that the one before ended with. */
function withoutRepeated(text: string, shown: string, flash: boolean): string {
  if (shown === "" || !(text === shown || text.startsWith(`${shown}\n`))) return text;
  if (text === shown) return flash ? "" : text;
  return text.slice(shown.length + 1);
}
