import { writeFileSync } from "node:fs";
import path from "node:path";
import { expect } from "vitest";
import type {
  PreparedSegment,
  PreparedSlice,
  PreparedUnit,
  ReadFileInput,
  SliceCursor,
  SliceOutcome,
} from "../../workers/contract.ts";
import { sha256, unitIdOf } from "../../workers/ids.ts";
import { readSlice } from "../../workers/read-slice.ts";
import { temporaryFolder } from "./temporary.ts";

export const SLICE_BYTES = 4000;

export function inputFor(file: string, change: Partial<ReadFileInput> = {}): ReadFileInput {
  return {
    key: 3,
    path: file,
    root: path.dirname(file),
    knownHash: null,
    knownParser: null,
    maxBytes: 50_000_000,
    materialId: "material",
    relativePath: path.basename(file),
    chunking: { chunkSize: 200, chunkOverlap: 40, strategy: "structured", separator: null, hard: false },
    snapshot: false,
    longFileBytes: 1000,
    ...change,
  };
}

export function written(name: string, content: string | Uint8Array): string {
  const file = path.join(temporaryFolder(), name);
  writeFileSync(file, content);
  return file;
}

export function expectSlice(outcome: SliceOutcome): PreparedSlice {
  if (outcome.kind !== "slice") throw new Error(JSON.stringify(outcome));
  return outcome.slice;
}

/** All slices of a file, each read by what goes with the cursor alone. */
export async function allSlices(file: string, bounds: object = {}): Promise<PreparedSlice[]> {
  const slices: PreparedSlice[] = [];
  let cursor: SliceCursor | null = null;
  do {
    const input = {
      file: inputFor(file),
      cursor: structuredClone(cursor),
      sliceBytes: SLICE_BYTES,
      ...bounds,
    };
    const slice: PreparedSlice = expectSlice(await readSlice(input));
    slices.push(slice);
    cursor = slice.next;
  } while (cursor !== null);
  return slices;
}

export const segmentsOf = (slices: readonly PreparedSlice[]): PreparedSegment[] =>
  slices.flatMap((slice) => slice.segments);
export const textOf = (slices: readonly PreparedSlice[]): string =>
  segmentsOf(slices)
    .map((segment) => segment.text)
    .join("");

/** Each unit with its text, after the laws that hold for all of them. */
export function soundUnits(slices: readonly PreparedSlice[]): (PreparedUnit & { text: string })[] {
  const units = segmentsOf(slices).flatMap(({ text, contentHash, units }) => {
    expect(contentHash).toBe(sha256(text));
    return units.map((unit) => {
      const body = text.slice(unit.charStart, unit.charEnd);
      expect(unit.textHash).toBe(sha256(body));
      expect(unit.unitId).toBe(unitIdOf({ materialId: "material", contentHash, ...unit }));
      return { ...unit, text: body };
    });
  });
  expect(units.map((unit) => unit.unitIndex)).toEqual(units.map((_, at) => at));
  return units;
}
