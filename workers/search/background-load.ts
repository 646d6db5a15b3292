import { setImmediate as nextTurn } from "node:timers/promises";
import type { IndexReader } from "./index-reader.ts";

/** Something that is read from the index piece by piece. */
export interface Loading {
  /** Takes in what is new for at most budgetMs, in the reader's current snapshot; false when there is more. */
  take(budgetMs: number): boolean;
}

export interface BackgroundLoad<L extends Loading> {
  /** Loads the rest between other tasks. What is not wanted any more is loaded no further. */
  goOn(loading: L): void;
  /** Resolves when everything is loaded, or it is not wanted any more. */
  finish(loading: L): Promise<void>;
}

/** A task that comes meanwhile waits for one slice. */
const SLICE_MS = 8;

let turn: Promise<void> = Promise.resolve();

/** Resolves in a turn of the loop that no other loading has: a task then waits for one of them, not for all. */
function ownTurn(): Promise<void> {
  turn = turn.then(() => nextTurn());
  return turn;
}

export function createBackgroundLoad<L extends Loading>(
  reader: IndexReader,
  isWanted: (loading: L) => boolean,
): BackgroundLoad<L> {
  let running: L | null = null;

  async function finish(loading: L): Promise<void> {
    for (;;) {
      if (!isWanted(loading) || reader.snapshot(() => loading.take(SLICE_MS))) return;
      await ownTurn();
    }
  }

  return {
    finish,
    goOn(loading) {
      if (running === loading) return;
      running = loading;
      const done = (): void => {
        if (running === loading) running = null;
      };
      // After a failure the next search meets the same error in its own turn, and answers with it.
      void ownTurn()
        .then(() => finish(loading))
        .then(done, done);
    },
  };
}
