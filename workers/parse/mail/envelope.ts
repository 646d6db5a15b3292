const MAX_LENGTH = 500;
/** "Mon Jan  1 10:00:00 2024", with a time zone before or behind the year or none. */
const stamp =
  /(?:mon|tue|wed|thu|fri|sat|sun),?\s+(?:(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\s+\d{1,2}|\d{1,2}\s+(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}),?\s.{0,40}\d{1,2}:\d{2}/i;

/** The line in front of each message of a mailbox: "From ", who sent it, when it came. */
export function isEnvelope(line: string): boolean {
  return line.startsWith("From ") && line.length <= MAX_LENGTH && stamp.test(line) && /\b\d{4}\b/.test(line);
}
