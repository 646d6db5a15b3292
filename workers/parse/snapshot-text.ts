import { outlineOf } from "../chunk/outline.ts";

/** What stands in front of a snapshot's text (K6.1), in this order. `resource` is the address of a captured page. */
export interface SnapshotFields {
  readonly type: "URL" | "Note";
  readonly title: string;
  readonly resource?: string;
  /** ISO 8601, UTC. */
  readonly timestamp: string;
}

/** K6.1: a snapshot's file. `stripSnapshot` is its exact inverse (K6.2). */
export function writeSnapshot({ type, title, resource, timestamp }: SnapshotFields, body: string): string {
  const fields = { type, title, ...(resource !== undefined && { resource }), timestamp };
  const lines = Object.entries(fields).map(([key, value]) => `${key}: ${JSON.stringify(value)}\n`);
  return `---\n${lines.join("")}---\n${body}`;
}

/**
 * What a Markdown text calls itself: its first heading that says something, else its first non-empty line; null for a blank
 * text.
 */
export function snapshotTitle(body: string): string | null {
  const text = body.replaceAll(/\r\n?/g, "\n");
  const heading = outlineOf(text, "markdown").headings.find((candidate) => candidate.text.trim() !== "");
  return heading?.text.trim() ?? firstLine(text);
}

/** The first line with something on it, trimmed; null for a blank text. */
export function firstLine(text: string): string | null {
  return /\S.*/.exec(text)?.[0].trim() ?? null;
}
