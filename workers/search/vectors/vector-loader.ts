import type { IndexReader } from "../index-reader.ts";
import { PackedVectors } from "./packed-vectors.ts";
import type { VectorSource } from "./vector-source.ts";

/** Takes a source's vectors into memory, from stored packs as far as there are, and keeps them in step with the index. */
export interface VectorLoader {
  readonly source: VectorSource;
  readonly packed: PackedVectors;
  /** Takes in what is new for at most budgetMs, in the reader's current snapshot; false when there is more. */
  take(budgetMs: number): boolean;
  /** How many milliseconds that is likely to take, at most: of single rows, and of what is stored packed. */
  missing(): { readonly rows: number; readonly packed: number };
  /** Whether units may have been deleted since their vectors were packed. */
  mayHoldDeleted(): boolean;
  /** Cuts deleted units out of the pack; false when there are none. */
  dropDeleted(): boolean;
}

const PAGE_ROWS = 500;
/** Read and packed in a millisecond, at least; and of what is packed already. */
const ROWS_A_MS = 30;
const PACKED_ROWS_A_MS = 2000;
/** The pack may hold this many times the units that there are: beyond it, deleted ones are cut out. */
const MAX_BLOAT = 1.25;

const STATE = "SELECT generation, units FROM stats WHERE id = 1";
const NUMBERS = "SELECT number FROM unit_number ORDER BY number";
/** Grows with each commit of another connection. */
const VERSION = "PRAGMA data_version";

export function createVectorLoader(reader: IndexReader, source: VectorSource): VectorLoader {
  const packed = new PackedVectors(source.dimensions);
  const deleted = watchDeleted(reader, packed);
  const bare = watchBare(reader, source, packed);
  let lastNumber = 0;
  /** Up to this number no stored pack can be taken. */
  let rowsTo = 0;

  function takeNew(until: number): boolean {
    const newest = source.newest();
    while (lastNumber < newest) {
      if (lastNumber < rowsTo || !takePack(newest)) takeRows(Math.min(rowsTo, newest));
      if (performance.now() >= until) break;
    }
    return lastNumber >= newest;
  }

  /** False where the next units are in no pack, or in one that is damaged. */
  function takePack(newest: number): boolean {
    const pack = source.packs?.next(lastNumber);
    if (!pack || pack.first > lastNumber + 1) {
      rowsTo = pack ? pack.first - 1 : newest;
      return false;
    }
    const run = source.packs?.read(pack);
    if (!run) {
      rowsTo = pack.last;
      return false;
    }
    packed.appendRun(run);
    run.scales.forEach((scale, row) => {
      if (scale === 0) bare.add(run.numbers[row]!);
    });
    lastNumber = pack.last;
    return true;
  }

  function takeRows(last: number): void {
    const rows = source.after(lastNumber, PAGE_ROWS);
    for (const [number, vector] of rows) {
      if (number > last) break;
      packed.append(number, vector);
      if (vector === null) bare.add(number);
    }
    lastNumber = rows.length < PAGE_ROWS ? last : Math.min(last, rows.at(-1)![0]);
  }

  return {
    source,
    packed,
    mayHoldDeleted: deleted.mayBeHeld,
    dropDeleted: deleted.drop,
    missing() {
      const numbers = source.newest() - lastNumber;
      const none = { span: 0, units: 0 };
      const { span, units } = numbers > PAGE_ROWS ? (source.packs?.extent(lastNumber) ?? none) : none;
      return { rows: Math.max(0, numbers - span) / ROWS_A_MS, packed: units / PACKED_ROWS_A_MS };
    },
    take(budgetMs) {
      const until = performance.now() + budgetMs;
      const complete = takeNew(until) && bare.take(until);
      deleted.bound();
      return complete;
    },
  };
}

/** Units that had no vector when they were read: a base that is given a model gets them one by one. */
function watchBare(reader: IndexReader, source: VectorSource, packed: PackedVectors) {
  let bare: number[] = [];
  /** Those that are still to be asked again, and the state of the index that they are asked in. */
  let askAgain: number[] = [];
  let asked: number | null = null;

  return {
    add: (number: number): void => void bare.push(number),
    /** Takes in those that have one now; false when there are more to be asked. */
    take(until: number): boolean {
      if (bare.length === 0 && askAgain.length === 0) return true;
      const version = reader.statement(VERSION).pluck().get() as number;
      if (version !== asked && askAgain.length === 0) {
        asked = version;
        askAgain = bare;
        bare = [];
      }
      while (askAgain.length > 0 && performance.now() < until) {
        for (const [number, vector] of source.of(askAgain.splice(-PAGE_ROWS))) {
          if (vector === null) bare.push(number);
          else packed.fill(number, vector);
        }
      }
      return askAgain.length === 0;
    },
  };
}

/** Deleted units in a pack. The index's generation grows when units are deleted. */
function watchDeleted(reader: IndexReader, packed: PackedVectors) {
  let generation: number | null = null;
  let mayBeHeld = false;

  function drop(): boolean {
    const before = packed.units;
    packed.retain(reader.statement(NUMBERS).pluck().iterate() as Iterable<number>);
    mayBeHeld = false;
    return packed.units < before;
  }

  return {
    drop,
    mayBeHeld: () => mayBeHeld,
    bound(): void {
      const state = reader.statement(STATE).get() as { generation: number; units: number } | undefined;
      if (!state || state.generation === generation) return;
      mayBeHeld ||= generation !== null;
      generation = state.generation;
      if (packed.units > state.units * MAX_BLOAT) drop();
    },
  };
}
