import {
  type HeaderField,
  fieldValue,
  isFieldLine,
  parseStructured,
  readHeader,
  type StructuredValue,
} from "./header-fields.ts";

/** One part of a message, and the message itself. */
export interface MimePart {
  readonly fields: readonly HeaderField[];
  /** Lower case: "text/plain". */
  readonly type: string;
  readonly params: ReadonlyMap<string, string>;
  /** "attachment", "inline", or what else stands there; empty when nothing does. */
  readonly disposition: string;
  /** As it stands in the header: encoded words are still in it. */
  readonly fileName: string | null;
  /** Lower case; empty when the body is as it is. */
  readonly transferEncoding: string;
  /** As it stands in the file, transfer encoding and all. */
  readonly body: Buffer;
  readonly children: readonly MimePart[];
}

export interface MimeTree {
  readonly root: MimePart;
  /** There were more parts, or deeper ones, than are followed. */
  readonly cut: boolean;
}

/** Parts inside parts inside parts, and parts of a message, that are followed. */
const MAX_DEPTH = 20;
const MAX_PARTS = 1000;
/** RFC 2046 allows 70; programs have used more. */
const MAX_BOUNDARY_LENGTH = 500;
/** Bytes in which the first boundary is looked for when the header does not name it. */
const GUESS_REACH = 16 * 1024;

interface State {
  readonly bytes: Buffer;
  parts: number;
  cut: boolean;
}

/** The parts of a message. Takes anything: what is no header is body. The bodies share the memory of `bytes`. */
export function parseMime(bytes: Uint8Array): MimeTree {
  const state: State = {
    bytes: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length),
    parts: 0,
    cut: false,
  };
  const root = parsePart(state, 0, bytes.length, 0, "text/plain");
  return { root, cut: state.cut };
}

function parsePart(state: State, start: number, end: number, depth: number, defaultType: string): MimePart {
  state.parts++;
  const { fields, bodyStart } = readHeader(state.bytes, start, end);
  const content = parseStructured(fieldValue(fields, "content-type") || defaultType);
  const disposition = parseStructured(fieldValue(fields, "content-disposition"));
  const children = content.value.startsWith("multipart/")
    ? parseChildren(state, bodyStart, end, depth, content)
    : [];
  return {
    fields,
    type: children.length === 0 && content.value.startsWith("multipart/") ? "text/plain" : content.value,
    params: content.params,
    disposition: disposition.value,
    fileName: disposition.params.get("filename") ?? content.params.get("name") ?? null,
    transferEncoding: parseStructured(fieldValue(fields, "content-transfer-encoding")).value,
    body: state.bytes.subarray(bodyStart, end),
    children,
  };
}

function parseChildren(
  state: State,
  start: number,
  end: number,
  depth: number,
  content: StructuredValue,
): MimePart[] {
  const children: MimePart[] = [];
  const boundary = content.params.get("boundary") || guessBoundary(state.bytes, start, end);
  if (boundary === "" || boundary.length > MAX_BOUNDARY_LENGTH) return children;
  const defaultType = content.value === "multipart/digest" ? "message/rfc822" : "text/plain";
  for (const [from, to] of spansBetween(state.bytes, start, end, boundary)) {
    if (depth >= MAX_DEPTH || state.parts >= MAX_PARTS) {
      state.cut = true;
      break;
    }
    children.push(parsePart(state, from, to, depth + 1, defaultType));
  }
  return children;
}

/** The first line of the body that begins like a boundary and is followed by a header; empty when none is. */
function guessBoundary(bytes: Buffer, start: number, end: number): string {
  const lines = bytes.toString("latin1", start, Math.min(end, start + GUESS_REACH)).split(/\r?\n/);
  const at = lines.findIndex((line, index) => /^--\S/.test(line) && isFieldLine(lines[index + 1] ?? ""));
  return at === -1 ? "" : (lines[at] ?? "").slice(2).trimEnd();
}

/** What stands between lines of the boundary; a part that is never ended goes up to the end. */
function* spansBetween(
  bytes: Buffer,
  start: number,
  end: number,
  boundary: string,
): Generator<[number, number]> {
  const mark = Buffer.from(`--${boundary}`, "latin1");
  let from: number | null = null;
  for (let at = bytes.indexOf(mark, start); at !== -1 && at < end; at = bytes.indexOf(mark, at + 1)) {
    if (at !== start && bytes[at - 1] !== 10) continue;
    const line = boundaryLine(bytes, at + mark.length, end);
    if (line === null) continue;
    if (from !== null) yield [from, withoutLineEnd(bytes, from, at)];
    if (line.closes) return;
    from = line.next;
  }
  if (from !== null) yield [from, end];
}

/** Null when the line goes on: then it is a longer boundary, or text. */
function boundaryLine(bytes: Buffer, at: number, end: number): { next: number; closes: boolean } | null {
  const closes = bytes[at] === 0x2d && bytes[at + 1] === 0x2d;
  let next = closes ? at + 2 : at;
  while (next < end && (bytes[next] === 32 || bytes[next] === 9 || bytes[next] === 13)) next++;
  if (next < end && bytes[next] !== 10) return null;
  return { next: Math.min(end, next + 1), closes };
}

function withoutLineEnd(bytes: Buffer, from: number, at: number): number {
  const end = bytes[at - 1] === 10 ? at - 1 : at;
  return Math.max(from, bytes[end - 1] === 13 ? end - 1 : end);
}
