import { mkdirSync } from "node:fs";
import { rm } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { isDiskFull, KnowdError } from "../../runtime/errors.ts";
import type { Log } from "../../runtime/log.ts";
import type { IndexState } from "./contract.ts";
import { fileLoss } from "./index-files.ts";
import type { BaseLayout } from "./layout.ts";
import { createIndex, IndexUnusable, openIndex, type IndexFile, type OpenIndex } from "./store.ts";
import { usesTrigrams } from "./trigram.ts";

export interface BaseSlotDeps {
  readonly baseId: string;
  readonly layout: BaseLayout;
  readonly cacheKiB: number;
  /** A deleted or replaced database goes on taking writes as if nothing had happened, so its place is looked at this often. */
  readonly lookEveryMs: number;
  readonly wantsSubstring: () => boolean;
  readonly onRecreated: (reason: string) => void;
  readonly onOpened: (index: OpenIndex) => void;
  readonly log?: Log | undefined;
}

const REMOVE_ATTEMPTS = 5;
const REMOVE_PAUSE_MS = 50;

/** One base's index: closed, open, or destroyed. The caller holds the base's lock for every call but `peek`. */
export class BaseSlot {
  state: IndexState = "ready";
  readonly #deps: BaseSlotDeps;
  #index: OpenIndex | null = null;
  #destroyed = false;
  /** When the file was last seen in its place, on performance.now()'s clock. */
  #seenAt = 0;

  constructor(deps: BaseSlotDeps) {
    this.#deps = deps;
  }

  peek(): OpenIndex | null {
    return this.#index;
  }

  /** The open index; opened, or made again, when need be. */
  async current(): Promise<OpenIndex> {
    this.#refuseDestroyed();
    try {
      if (!this.#index) return this.#open();
      if (performance.now() - this.#seenAt < this.#deps.lookEveryMs) return this.#index;
      const loss = await fileLoss(this.#index.db.path, this.#index.identity);
      return loss === null ? this.#keep(this.#index) : this.makeAgain(loss);
    } catch (error) {
      throw unavailable(this.#deps.baseId, error);
    }
  }

  /** Puts what is there aside and starts an empty index (K8.2). */
  makeAgain(reason: string): OpenIndex {
    this.#refuseDestroyed();
    const { baseId, layout, log } = this.#deps;
    const substring = knownSubstring(this.#index) ?? this.#deps.wantsSubstring();
    try {
      this.close();
    } catch (error) {
      log?.warn({ baseId, error: String(error) }, "a damaged index did not close well; it is replaced");
    }
    mkdirSync(layout.raw, { recursive: true, mode: 0o700 });
    const made = this.#keep(createIndex(this.#file(), { substring }));
    this.state = "rebuilding";
    log?.warn({ baseId, reason }, "the index was made again, empty");
    this.#deps.onRecreated(reason);
    return made;
  }

  /** For a new base: makes what is not there, keeps a sound index of this base. */
  create(options: { substring: boolean }): void {
    this.#destroyed = false;
    if (this.#index) return;
    mkdirSync(this.#deps.layout.raw, { recursive: true, mode: 0o700 });
    try {
      this.#keep(openIndex(this.#file()));
    } catch (error) {
      if (!(error instanceof IndexUnusable)) throw unavailable(this.#deps.baseId, error);
      this.#keep(createIndex(this.#file(), options));
    }
  }

  async destroy(): Promise<void> {
    this.close();
    this.#destroyed = true;
    await removeFolder(this.#deps.layout.folder);
  }

  close(): void {
    const closing = this.#index;
    this.#index = null;
    closing?.db.close();
  }

  #open(): OpenIndex {
    try {
      const opened = this.#keep(openIndex(this.#file()));
      this.#deps.onOpened(opened);
      return opened;
    } catch (error) {
      if (error instanceof IndexUnusable) return this.makeAgain(error.message);
      throw error;
    }
  }

  #keep(index: OpenIndex): OpenIndex {
    this.#index = index;
    this.#seenAt = performance.now();
    return index;
  }

  #file(): IndexFile {
    const { layout, baseId, cacheKiB } = this.#deps;
    return { path: layout.index, baseId, cacheKiB };
  }

  #refuseDestroyed(): void {
    if (this.#destroyed) throw new KnowdError("BASE_NOT_FOUND", { baseId: this.#deps.baseId });
  }
}

/**
 * Tried a few times, for scanners and indexers of the system may hold a file for a moment. Not by rm's own retries: it
 * repeats them on each level of the tree, which takes minutes where one file stays.
 */
async function removeFolder(folder: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await rm(folder, { recursive: true, force: true });
    } catch (error) {
      if (attempt === REMOVE_ATTEMPTS) throw error;
      await delay(attempt * REMOVE_PAUSE_MS);
    }
  }
}

function knownSubstring(index: OpenIndex | null): boolean | null {
  try {
    return index && usesTrigrams(index.db);
  } catch {
    // The open file is damaged: the base's settings decide.
    return null;
  }
}

function unavailable(baseId: string, error: unknown): KnowdError {
  if (error instanceof KnowdError) return error;
  const reason = error instanceof Error ? error.message : String(error);
  return new KnowdError(
    isDiskFull(error) ? "DISK_FULL" : "BASE_UNAVAILABLE",
    { baseId, reason },
    undefined,
    error,
  );
}
