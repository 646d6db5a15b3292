import { jsxTagEnd, textAttributes } from "./jsx-tag.ts";

/** Lines that one import, export or comment takes at most. */
const MAX_LINES = 2000;
const moduleStart =
  /^(?:import\s+(?:["'{*]|type\s|[\w$]{1,100}\s*,|[\w$]{1,100}\s+from\b)|export\s+(?:default|const|let|var|function|async|class|type|interface|\{|\*))/;
/** Exports whose brackets never close; in a text with more of them, each is taken for one line. */
const MAX_OPEN = 20;
/** Tags that were looked for in vain; a text with more of them has none. */
const MAX_MISSED = 200;

export interface MdxText {
  /** As many lines as before. */
  readonly text: string;
  /** What its exports call it. */
  readonly title: string | null;
}

/**
 * The prose of an MDX text: imports, exports, tags and comments become nothing, line for line; what tags say to readers (their
 * titles and labels) stays. Code stays as it is.
 */
export function mdxText(source: string, bodyStart: number): MdxText {
  const lines = source.slice(bodyStart).split("\n");
  let title: string | null = null;
  let fence: string | null = null;
  let open = 0;
  const prose: string[] = [];
  const out: string[] = [];
  const flush = (): void => {
    if (prose.length > 0) out.push(withoutJsx(prose.join("\n")));
    prose.length = 0;
  };
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? "";
    const mark = /^[\s>]{0,20}(`{3,}|~{3,})/.exec(line.slice(0, 100))?.[1];
    if (fence !== null || mark !== undefined) {
      flush();
      out.push(line);
      if (fence === null) fence = mark ?? null;
      else if (mark?.startsWith(fence) === true) fence = null;
    } else if (moduleStart.test(line)) {
      flush();
      const end = open < MAX_OPEN ? moduleEnd(lines, at) : null;
      if (end === null) {
        open++;
        out.push("");
        continue;
      }
      const code = lines.slice(at, end).join("\n");
      title ??= /\btitle\s*[:=]\s*(["'`])([^"'`\n]{1,300})\1/.exec(code.slice(0, 10_000))?.[2] ?? null;
      for (; at < end; at++) out.push("");
      at--;
    } else prose.push(line);
  }
  flush();
  return { text: source.slice(0, bodyStart) + out.join("\n"), title };
}

/** An import or export goes on to the next blank line, or as long as its brackets are open; null when they never close. */
function moduleEnd(lines: readonly string[], start: number): number | null {
  let depth = 0;
  let at = start;
  for (; at < lines.length && at - start < MAX_LINES; at++) {
    const line = lines[at] ?? "";
    if (line.trim() === "" && depth <= 0) return at;
    for (let index = 0; index < line.length; index++) {
      const sign = line[index];
      if (sign === "{" || sign === "(" || sign === "[") depth++;
      else if (sign === "}" || sign === ")" || sign === "]") depth--;
    }
  }
  return depth > 0 ? null : at;
}

function withoutJsx(text: string): string {
  const pieces: string[] = [];
  let from = 0;
  let missed = 0;
  for (
    let at = nextMark(text, 0);
    at !== -1 && missed < MAX_MISSED;
    at = nextMark(text, Math.max(at + 1, from))
  ) {
    const end = text[at] === "<" ? jsxTagEnd(text, at) : expressionEnd(text, at);
    if (end === null) {
      if (/[\w/>]/.test(text[at + 1] ?? "")) missed++;
      continue;
    }
    const taken = text.slice(at, end);
    pieces.push(text.slice(from, at), text[at] === "<" ? textAttributes(taken) : expressionText(taken));
    // Line breaks stay, so that lines keep their numbers.
    pieces.push("\n".repeat(taken.split("\n").length - 1));
    from = end;
  }
  pieces.push(text.slice(from));
  return pieces.join("");
}

function nextMark(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    const sign = text[at];
    if (sign === "\\") at++;
    else if (sign === "`") {
      const run = /^`+/.exec(text.slice(at, at + 20))?.[0] ?? "`";
      const end = text.slice(at + run.length, at + 1000).indexOf(run);
      at += end === -1 ? run.length - 1 : end + 2 * run.length - 1;
    } else if (sign === "<" || sign === "{") return at;
  }
  return -1;
}

/** Comments, strings and names in braces; other expressions are left as they are. */
function expressionEnd(text: string, start: number): number | null {
  if (text.startsWith("{/*", start)) {
    const end = text.slice(start, start + 20_000).indexOf("*/}");
    return end === -1 ? null : start + end + 3;
  }
  const found =
    /^\{\s*(?:"[^"\n{}]{0,300}"|'[^'\n{}]{0,300}'|`[^`\n{}]{0,300}`|[\w$.?[\]]{1,200}(?:\(\))?)\s*\}/.exec(
      text.slice(start, start + 400),
    );
  return found === null ? null : start + found[0].length;
}

function expressionText(expression: string): string {
  return /^\{\s*(["'`])(.*)\1\s*\}$/.exec(expression)?.[2] ?? "";
}
