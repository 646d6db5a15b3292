import type { QueryUnit } from "../words/query.ts";
import type { SearchTasks, ShownUnit } from "./contract.ts";
import { createHighlighter } from "./highlight.ts";
import type { OpenIndex } from "./readers.ts";
import type { Tokenizer } from "./tokenizer.ts";
import { understand } from "./understand.ts";
import { unitById } from "./units.ts";

type Task = SearchTasks["index.units"];

/** Gives units as they are shown; null for one that is gone. */
export function createUnitViewer(
  reader: OpenIndex["reader"],
  tokenizer: Tokenizer,
  asked: readonly QueryUnit[],
): (unitId: string) => ShownUnit | null {
  const highlight = createHighlighter(asked, tokenizer);
  return (unitId) => {
    const unit = unitById(reader, unitId);
    return unit && { ...unit, highlights: highlight(unit.text) };
  };
}

/** Units of a list that was ranked before, as a search would show them now. */
export function showUnits(open: OpenIndex, tokenizer: Tokenizer, input: Task["input"]): Task["output"] {
  return open.reader.snapshot(() => {
    const asked = understand(open, tokenizer, input)?.units ?? [];
    const view = createUnitViewer(open.reader, tokenizer, asked);
    return { units: input.unitIds.flatMap((unitId) => view(unitId) ?? []) };
  });
}
