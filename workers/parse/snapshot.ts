/** A snapshot's own front matter: flat, each value JSON. */
export interface SnapshotText {
  readonly fields: Readonly<Record<string, string>>;
  readonly body: string;
  /** The line of the file that the body begins with, 1-based. */
  readonly firstLine: number;
}

const line = /^(type|title|resource|timestamp): ("(?:[^"\\\n]|\\.)*")$/;

/**
 * Takes the front matter off that knowd wrote in front of a url's or note's text (K6.2): only the first block, and none
 * where no closing line is. Expects lines that end with \n.
 */
export function stripSnapshot(text: string): SnapshotText {
  const whole = { fields: {}, body: text, firstLine: 1 };
  if (!text.startsWith("---\n")) return whole;
  const fields: Record<string, string> = {};
  let at = 4;
  for (let number = 2; ; number++) {
    const end = text.indexOf("\n", at);
    const content = text.slice(at, end === -1 ? text.length : end);
    const next = end === -1 ? text.length : end + 1;
    if (content === "---") return { fields, body: text.slice(next), firstLine: number + 1 };
    if (end === -1) return whole;
    const found = line.exec(content);
    if (found?.[1] !== undefined && found[2] !== undefined) fields[found[1]] = unquote(found[2]);
    at = next;
  }
}

function unquote(json: string): string {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === "string" ? value : json;
  } catch {
    // A person changed it by hand: what stands there is the value.
    return json;
  }
}
