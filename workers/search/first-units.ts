import type { SearchTasks } from "./contract.ts";
import { withoutHidden } from "./hidden-units.ts";
import type { OpenIndex } from "./readers.ts";
import type { Tokenizer } from "./tokenizer.ts";
import { unitsOf } from "./understand.ts";
import { meeting } from "./unit-sets.ts";

type Task = SearchTasks["index.first"];

/** Units of one document that are looked at for one without an excluded word. */
const LOOKED_AT = 200;
const OF_MATERIAL = `
  SELECT n.number, u.unit_id FROM search_unit AS u JOIN unit_number AS n ON n.unit_id = u.unit_id
  WHERE u.material_id = ? AND u.unit_type = 'chunk' ORDER BY u.unit_index LIMIT ?`;

export function firstUnits(open: OpenIndex, tokenizer: Tokenizer, input: Task["input"]): Task["output"] {
  const { reader, postings } = open;
  return reader.snapshot(() => {
    postings.refresh();
    const demands = { required: [], excluded: unitsOf(input.excluded) };
    const accept = withoutHidden(reader, meeting({ reader, postings, tokenizer }, demands, null));
    const statement = reader.statement(OF_MATERIAL).raw();
    const units = input.materialIds.flatMap((materialId) => {
      const rows = statement.all(materialId, accept ? LOOKED_AT : 1) as [number, string][];
      const [, unitId] = rows.find(([number]) => accept?.has(number) !== false) ?? [];
      return unitId === undefined ? [] : [{ unitId, materialId }];
    });
    return { units };
  });
}
