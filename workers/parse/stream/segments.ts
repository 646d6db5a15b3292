import { chunkParts, PART_JOINT } from "../../chunk/chunk.ts";
import type { ChunkSettings, PreparedSegment } from "../../contract.ts";
import { sha256 } from "../../ids.ts";
import { prepareUnits, type UnitHead } from "../prepare.ts";
import type { LineMap, Part } from "../reader.ts";

/** Characters that are stored as one text at most. */
export const SEGMENT_CHARS = 1024 * 1024;

export interface SegmentHead extends Omit<UnitHead, "contentHash" | "title"> {
  readonly chunking: ChunkSettings;
  /** Null for the first piece of a file that names none: then its first heading serves, else `fallbackTitle`. */
  readonly title: string | null;
  readonly fallbackTitle: string;
  /** Units before. */
  readonly units: number;
  /** What parts these parts from what follows; empty at the end. */
  readonly joint: string;
  readonly maxChars?: number;
}

export interface Segments {
  readonly segments: readonly PreparedSegment[];
  readonly title: string;
  readonly units: number;
}

/** Cuts, names and shapes the parts of a piece, in as many texts as their length asks for. */
export function segmentsOf(parts: readonly Part[], head: SegmentHead): Segments {
  const { chunking, joint, maxChars = SEGMENT_CHARS } = head;
  const groups = groupParts(parts, maxChars);
  let { title, units } = head;
  const segments: PreparedSegment[] = [];
  for (const [at, group] of groups.entries()) {
    const chunked = chunkParts(group, chunking);
    title ??= chunked.firstHeading ?? head.fallbackTitle;
    const text = chunked.text + (at + 1 < groups.length ? PART_JOINT : joint);
    if (text === "") continue;
    const contentHash = sha256(text);
    const first = units;
    const chunks = chunked.chunks.map((chunk) => ({ ...chunk, unitIndex: first + chunk.unitIndex }));
    segments.push({ text, contentHash, units: prepareUnits(text, chunks, { ...head, contentHash, title }) });
    units += chunks.length;
  }
  return { segments, title: title ?? head.fallbackTitle, units };
}

/** Neighbours that fit one text; a longer part is cut between its lines. */
function groupParts(parts: readonly Part[], maxChars: number): Part[][] {
  const groups: Part[][] = [];
  let chars = Infinity;
  for (const part of parts.flatMap((part) => splitPart(part, maxChars))) {
    const more = part.text.length + PART_JOINT.length;
    if (chars + more > maxChars) {
      groups.push([]);
      chars = 0;
    }
    groups.at(-1)?.push(part);
    chars += more;
  }
  return groups;
}

function splitPart(part: Part, maxChars: number): Part[] {
  const room = maxChars - PART_JOINT.length;
  if (part.text.length <= room) return [part];
  const { outline: _, bodyStart: __, ...rest } = part;
  const pieces: Part[] = [];
  let line = 0;
  for (let at = 0; at < part.text.length;) {
    const end = at + room >= part.text.length ? part.text.length : cutBefore(part.text, at, at + room);
    const text = part.text.slice(at, end);
    pieces.push({ ...rest, text, lines: linesFrom(part.lines, line) });
    line += text.split("\n").length - 1;
    at = end;
  }
  return pieces;
}

/** Behind the last line end, else between two characters. */
function cutBefore(text: string, from: number, limit: number): number {
  const newline = text.lastIndexOf("\n", limit - 1) + 1;
  if (newline > from) return newline;
  const code = text.charCodeAt(limit);
  return code >= 0xdc00 && code <= 0xdfff ? limit - 1 : limit;
}

function linesFrom(lines: LineMap | null, line: number): LineMap | null {
  if (lines === null) return null;
  if (lines.kind === "same") return { kind: "same", first: lines.first + line };
  return { kind: "map", of: lines.of.slice(line) };
}
