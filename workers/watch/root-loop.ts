import { confirmGone, unwatchBelow } from "./absence.ts";
import type { Burst } from "./burst.ts";
import { compareDirectory } from "./compare.ts";
import { markTwins } from "./hard-links.ts";
import type { RootIdentity, WatchMessage, WatchSettings } from "./contract.ts";
import { createPass, type Follow, RootLost, type Visit } from "./follow.ts";
import { createStateTeller, type StateTeller } from "./follow-state.ts";
import type { RootHealth } from "./root-health.ts";
import { createScan, type Scan } from "./scan.ts";

export interface RootLoopDeps {
  readonly follow: Follow;
  readonly health: RootHealth;
  readonly burst: Burst;
  readonly settings: WatchSettings;
  readonly post: (message: WatchMessage) => Promise<void>;
  readonly refuse: (request: number, reason: string) => void;
  /** Why some directories are only polled; null when none is. */
  readonly pollReason: () => string | null;
  readonly error: (text: string) => void;
}

/**
 * Does one thing after the other for a root, what matters most first: is the root well; directories in which something
 * happened; files that vanished; the complete scan, a directory at a time.
 */
export class RootLoop {
  readonly #deps: RootLoopDeps;
  readonly #state: StateTeller;
  /** Directories found by events that are still to be compared. */
  #visits: Visit[] = [];
  #scan: Scan | null = null;
  /** Requests that the next scan answers; null when no scan is wanted. */
  #wanted: number[] | null = [];
  #identity: RootIdentity | null = null;
  /** Why the root is unavailable; null when it is well. */
  #illness: string | null = "";
  #checkAt = 0;
  #scanAt = Number.POSITIVE_INFINITY;
  #burstSeen: number;
  /** When events were too many to follow one by one; null when a scan has begun since. */
  #unsettledSince: number | null = null;
  #overflowed = false;
  /** Findings of events wait in the batch. */
  #unsent = false;
  #running = false;
  #again = false;
  #started = false;
  #closed = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(deps: RootLoopDeps) {
    this.#deps = deps;
    this.#state = createStateTeller(deps.follow.sourceId, deps.post);
    this.#burstSeen = deps.burst.generation();
  }

  /** What is known is complete: until then all that is asked for waits, since the rest would count as new. */
  start(): void {
    this.#started = true;
    this.wake();
  }

  /** Something is to be done, or may be. */
  wake(): void {
    if (this.#closed || !this.#started) return;
    this.#again = true;
    if (this.#running) return;
    this.#running = true;
    clearTimeout(this.#timer);
    void this.#run();
  }

  wantScan(request: number | null): void {
    if (request !== null && this.#illness) {
      this.#deps.refuse(request, this.#illness);
      return;
    }
    this.#wanted ??= [];
    if (request !== null) this.#wanted.push(request);
    this.wake();
  }

  /** More directories are dirty than are worth comparing one by one: a scan is to find what happened in all of them. */
  overflow(): void {
    this.#overflowed = true;
    this.#unsettledSince ??= performance.now();
    this.#deps.follow.dirty.clear();
    this.wake();
  }

  /** What happens now is found by the scan that is to come. */
  isOverflowed(): boolean {
    return this.#overflowed;
  }

  /** The root itself may have gone. */
  wantCheck(): void {
    this.#checkAt = 0;
  }

  /** What is under way goes by rules that are no longer true. */
  restartScan(): void {
    this.#wanted = [...(this.#scan?.requests ?? []), ...(this.#wanted ?? [])];
    this.#scan = null;
    this.#visits = [];
    this.wake();
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  async #run(): Promise<void> {
    while (this.#again && !this.#closed) {
      this.#again = false;
      try {
        while (!this.#closed && (await this.#turn()));
      } catch (error) {
        await this.#fail(error);
      }
    }
    this.#running = false;
    if (!this.#closed) this.#sleep();
  }

  /** Does the most urgent thing; false when there is none. */
  async #turn(): Promise<boolean> {
    const { follow, burst } = this.#deps;
    const now = performance.now();
    if (now >= this.#checkAt) return await this.#check();
    if (this.#illness !== null) return false;
    if (await this.#compareNext(now)) return true;
    if (this.#confirm(now)) return true;
    if (this.#unsent) {
      this.#unsent = false;
      await follow.batch.send(true);
      return true;
    }
    if (burst.generation() !== this.#burstSeen) {
      this.#burstSeen = burst.generation();
      this.#unsettledSince ??= now;
    }
    if (this.#unsettledSince !== null && burst.hasSettled(this.#unsettledSince)) this.#wanted ??= [];
    if (now >= this.#scanAt) this.#wanted ??= [];
    return await this.#scanNext();
  }

  async #check(): Promise<boolean> {
    const { health, settings, follow } = this.#deps;
    this.#checkAt = performance.now() + settings.rootCheckMs;
    const found = health.check();
    if (found.kind === "ill") {
      await this.#lose(found.reason);
      return false;
    }
    this.#identity = found.identity;
    if (this.#illness !== null || found.renewed) {
      this.#illness = null;
      this.restartScan();
    }
    for (const [path, kind] of follow.held) {
      const directory = follow.tree.find(path);
      if (kind === "unreadable") follow.dirty.markAll(path);
      else if (directory?.parent) follow.dirty.mark(directory.parent.path, directory.name);
    }
    return true;
  }

  /** Compares one directory in which something happened, or that was found in one. */
  async #compareNext(now: number): Promise<boolean> {
    const { follow } = this.#deps;
    const visit = this.#visits.pop();
    const dirty = visit ? undefined : follow.dirty.take(now);
    const directory = visit?.directory ?? (dirty ? follow.tree.find(dirty.path) : undefined);
    if (!directory && dirty === undefined && follow.linked.size > 0) {
      await markTwins(follow);
      return true;
    }
    if (!directory) return dirty !== undefined;
    this.#unsent = true;
    const names = dirty?.names ?? null;
    const next = await compareDirectory(
      follow,
      visit ?? { directory, deep: false },
      names,
      createPass("event"),
    );
    this.#visits.push(...next);
    if ((follow.exhausted ?? follow.unwatchable) !== null && this.#state.current() === "watching")
      await this.#settle();
    return true;
  }

  #confirm(now: number): boolean {
    const { follow } = this.#deps;
    const due = follow.vanishing.take(now);
    if (due.length === 0) return false;
    this.#unsent = true;
    const gone = confirmGone(follow, due, this.#vouch);
    this.#scan?.addGone(gone);
    return true;
  }

  async #scanNext(): Promise<boolean> {
    const { follow, settings, post } = this.#deps;
    const scan = this.#scan;
    if (scan) {
      if (await scan.step()) return true;
      // What events found while it went on belongs before its end.
      if (await this.#compareNext(Number.POSITIVE_INFINITY)) return true;
      await scan.finish(this.#vouch);
      if (this.#scan === scan) this.#scan = null;
      await this.#settle();
      return true;
    }
    if (this.#wanted === null) return false;
    const requests = this.#wanted;
    this.#wanted = null;
    this.#scanAt = Number.POSITIVE_INFINITY;
    this.#unsettledSince = null;
    this.#overflowed = false;
    const state = this.#state.current();
    if (state !== "watching" && state !== "polling") await this.#state.tell("scanning", null, this.#identity);
    this.#scan = createScan({ follow, requests, goneConfirmMs: settings.goneConfirmMs, post });
    return true;
  }

  /** Says how the root is followed from now on, and when it is scanned next. */
  async #settle(): Promise<void> {
    const { pollReason, settings } = this.#deps;
    const reason = pollReason();
    this.#scanAt = performance.now() + (reason === null ? settings.reconcileMs : settings.pollMs);
    await this.#state.tell(reason === null ? "watching" : "polling", reason, this.#identity);
  }

  readonly #vouch = (): void => {
    const found = this.#deps.health.check();
    if (found.kind === "ill") throw new RootLost(found.reason);
    if (found.renewed) throw new RootLost("The folder was replaced while it was compared.");
  };

  async #fail(error: unknown): Promise<void> {
    const reason = error instanceof Error ? error.message : String(error);
    if (error instanceof RootLost) return await this.#lose(reason);
    this.#deps.error(error instanceof Error ? (error.stack ?? reason) : reason);
    return await this.#lose(`The folder could not be compared: ${reason}`);
  }

  /** Nothing is concluded, and nothing is watched, until a check finds the root well. */
  async #lose(reason: string): Promise<void> {
    const { follow, refuse, settings } = this.#deps;
    this.#checkAt = performance.now() + settings.rootCheckMs;
    if (this.#illness === reason) return;
    for (const request of [...(this.#scan?.requests ?? []), ...(this.#wanted ?? [])]) refuse(request, reason);
    this.#illness = reason;
    this.#scan = null;
    this.#wanted = null;
    this.#visits = [];
    this.#unsettledSince = null;
    this.#overflowed = false;
    this.#scanAt = Number.POSITIVE_INFINITY;
    follow.dirty.clear();
    follow.vanishing.reset();
    follow.held.clear();
    unwatchBelow(follow, follow.tree.root);
    await follow.batch.send(true);
    await this.#state.tell("unavailable", reason, null);
  }

  #sleep(): void {
    const { follow } = this.#deps;
    const now = performance.now();
    const well = this.#illness === null;
    const next = Math.min(
      this.#checkAt,
      well ? (follow.dirty.nextDue() ?? Number.POSITIVE_INFINITY) : Number.POSITIVE_INFINITY,
      well ? (follow.vanishing.nextDue() ?? Number.POSITIVE_INFINITY) : Number.POSITIVE_INFINITY,
      this.#scanAt,
      this.#unsettledSince === null ? Number.POSITIVE_INFINITY : now + BURST_LOOK_MS,
    );
    this.#timer = setTimeout(() => this.wake(), Math.ceil(Math.max(0, next - now)));
  }
}

/** How often a burst is asked whether it is over. */
const BURST_LOOK_MS = 50;
