/** Knows the files that are written to again and again, without the pause that they are waited for to make. */
export interface Unrest {
  /**
   * Notes a change of a file that is to rest for `restMs`. True when it has not done so for very long: then it is read as
   * it is, between two writes, or a log that a program keeps writing to would never be read.
   */
  isOverdue(itemId: string, now: number, restMs: number): boolean;
}

interface Changes {
  readonly since: number;
  readonly last: number;
}

/** How many times its rest a file is waited for. */
const PATIENCE = 25;
/** From a write to its being noted here. */
const NOTED_WITHIN_MS = 250;
/**
 * Files that rest again are forgotten when more than this many are known, or twice as many as were left the last time: in a
 * first scan none of them rests yet, and a look at all of them for each file would take most of its time.
 */
const FORGET_FROM = 1000;

export function createUnrest(): Unrest {
  const known = new Map<string, Changes>();
  let forgetFrom = FORGET_FROM;
  const hasRested = ({ last }: Changes, now: number, restMs: number): boolean =>
    now < last || now - last > restMs + NOTED_WITHIN_MS;

  return {
    isOverdue(itemId, now, restMs) {
      if (known.size > forgetFrom) {
        for (const [id, changes] of known) if (hasRested(changes, now, restMs)) known.delete(id);
        forgetFrom = Math.max(FORGET_FROM, 2 * known.size);
      }
      const before = known.get(itemId);
      const since = before && !hasRested(before, now, restMs) ? before.since : now;
      const overdue = now - since > PATIENCE * restMs;
      known.set(itemId, { since: overdue ? now : since, last: now });
      return overdue;
    },
  };
}
