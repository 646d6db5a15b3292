import type { QueryUnit } from "../words/query.ts";
import type { SearchTasks, ShownUnit } from "./contract.ts";
import { createHighlighter } from "./highlight.ts";
import type { OpenIndex } from "./readers.ts";
import type { Tokenizer } from "./tokenizer.ts";
import { understand } from "./understand.ts";
import { unitById } from "./units.ts";

type Task = SearchTasks["index.units"];

/** Gives units as they are shown, by id; those that are gone are left out. */
export function createUnitViewer(
  reader: OpenIndex["reader"],
  tokenizer: Tokenizer,
  asked: readonly QueryUnit[],
): (unitIds: readonly string[]) => ReadonlyMap<string, ShownUnit> {
  const highlight = createHighlighter(asked, tokenizer);
  return (unitIds) => {
    const units = [...new Set(unitIds)].flatMap((unitId) => unitById(reader, unitId) ?? []);
    const highlights = highlight(units.map(({ text }) => text));
    return new Map(units.map((unit, at) => [unit.unitId, { ...unit, highlights: highlights[at]! }]));
  };
}

/** Units of a list that was ranked before, as a search would show them now. */
export function showUnits(open: OpenIndex, tokenizer: Tokenizer, input: Task["input"]): Task["output"] {
  return open.reader.snapshot(() => {
    const asked = understand(open, tokenizer, input)?.units ?? [];
    const shown = createUnitViewer(open.reader, tokenizer, asked)(input.unitIds);
    return { units: input.unitIds.flatMap((unitId) => shown.get(unitId) ?? []) };
  });
}
