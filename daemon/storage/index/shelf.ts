import type { Log } from "../../runtime/log.ts";
import { isCorruption } from "../sqlite.ts";
import { createBaseLock, type BaseLock } from "./base-lock.ts";
import { BaseSlot } from "./base-slot.ts";
import { baseLayout, type BaseLayout } from "./layout.ts";
import type { OpenIndex } from "./store.ts";

/** All bases' indexes. Whoever wants one gets it with the base's lock held. */
export interface Shelf {
  readonly lock: BaseLock;
  layout(baseId: string): BaseLayout;
  slot(baseId: string): BaseSlot;
  /** Runs `fn` with the open index. When its file proves damaged meanwhile, it is made again and `fn` runs once more. */
  use<T>(
    baseId: string,
    fn: (index: OpenIndex) => Promise<T> | T,
    options?: { signal?: AbortSignal | undefined },
  ): Promise<T>;
  /** Runs `fn` with the base's slot, open or not. */
  withSlot<T>(baseId: string, fn: (slot: BaseSlot) => Promise<T> | T): Promise<T>;
  close(): Promise<void>;
}

export interface ShelfDeps {
  readonly dataDir: string;
  readonly cacheKiB: number;
  readonly lookEveryMs: number;
  readonly stop: AbortSignal;
  readonly substringOf: (baseId: string) => boolean;
  readonly onRecreated: (baseId: string, reason: string) => void;
  readonly onOpened: (index: OpenIndex) => void;
  readonly log?: Log | undefined;
}

export function openShelf(deps: ShelfDeps): Shelf {
  const slots = new Map<string, BaseSlot>();
  const lock = createBaseLock();
  const layout = (baseId: string): BaseLayout => baseLayout(deps.dataDir, baseId);

  const slotOf = (baseId: string): BaseSlot => {
    const known = slots.get(baseId);
    if (known) return known;
    const slot = new BaseSlot({
      baseId,
      layout: layout(baseId),
      cacheKiB: deps.cacheKiB,
      lookEveryMs: deps.lookEveryMs,
      wantsSubstring: () => deps.substringOf(baseId),
      // Whoever is told acts in its own time, not under the lock that is held right now.
      onRecreated: (reason) => lock.outside(() => deps.onRecreated(baseId, reason)),
      onOpened: (index) => lock.outside(() => deps.onOpened(index)),
      log: deps.log,
    });
    slots.set(baseId, slot);
    return slot;
  };

  const withSlot: Shelf["withSlot"] = (baseId, fn) =>
    lock.run(baseId, async () => {
      deps.stop.throwIfAborted();
      return await fn(slotOf(baseId));
    });

  return {
    lock,
    layout,
    slot: slotOf,
    withSlot,
    use(baseId, fn, options) {
      const guarded = async () => {
        deps.stop.throwIfAborted();
        const slot = slotOf(baseId);
        const index = await slot.current();
        try {
          return await fn(index);
        } catch (error) {
          if (!isCorruption(error)) throw error;
          return await fn(slot.makeAgain(`its file is damaged: ${(error as Error).message}`));
        }
      };
      return lock.run(baseId, guarded, options);
    },
    async close() {
      for (const [baseId, slot] of slots) {
        await lock.settled(baseId);
        slot.close();
      }
    },
  };
}
