import type { Work } from "./read-stage.ts";

/** The batches that are being worked on. */
export interface InFlight {
  /** Batches without a suspect. */
  readonly shared: number;
  /** Remembers a batch until its promise settles; the promise must not reject. */
  add(batch: readonly Work[], done: Promise<void>): void;
  /** Resolves when one of the batches has ended. */
  oneEnded(): Promise<void>;
  /** Resolves when no batch holds work that this concerns. */
  settled(concerns: (work: Work) => boolean): Promise<void>;
}

export function createInFlight(): InFlight {
  const batches = new Map<Promise<void>, readonly Work[]>();
  return {
    get shared() {
      return [...batches.values()].filter((batch) => !batch.some((work) => work.job.suspect)).length;
    },
    add(batch, done) {
      const tracked: Promise<void> = done.finally(() => batches.delete(tracked));
      batches.set(tracked, batch);
    },
    oneEnded: () => Promise.race(batches.keys()),
    async settled(concerns) {
      for (;;) {
        const busy = [...batches].filter(([, batch]) => batch.some(concerns)).map(([done]) => done);
        if (busy.length === 0) return;
        await Promise.all(busy);
      }
    },
  };
}
