import type { DecodedText, Probe } from "./reader.ts";

/** The text of a file that was recognised by having one. */
export function textOf(probe: Probe): DecodedText {
  if (probe.text === null) throw new TypeError(`${probe.name} has no text`);
  return probe.text;
}
