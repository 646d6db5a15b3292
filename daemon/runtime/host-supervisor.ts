import { openLife, type Life, type LifeOptions } from "./host-life.ts";
import { createHostTask, type HostTask } from "./host-task.ts";
import { HostFailure, type HostState, type HostStats, type RunOptions } from "./host.ts";

export interface SupervisorOptions extends LifeOptions {
  readonly idleExitMs: number | null;
  readonly maxInFlight: number;
  readonly maxQueued: number;
  readonly restartBackoff: { readonly firstMs: number; readonly maxMs: number };
}

/** What a child that was told to leave may take before it is killed. */
const LEAVE_GRACE_MS = 2_000;

/** Decides when a child lives, and which task goes to it when. See HostOptions for the meaning of each option. */
export class HostSupervisor {
  readonly #options: SupervisorOptions;
  readonly #queue: HostTask[] = [];
  #state: HostState = "stopped";
  /** The child in use, from its spawn until it ended or was told to leave. */
  #life: Life | null = null;
  /** Settles when the launch under way has come to its end, whichever. */
  #launching: Promise<void> | null = null;
  /** Children that were told to leave and have not ended yet. */
  readonly #leaving = new Set<Promise<void>>();
  #failure: { reason: string; count: number; retryAt: number } | null = null;
  #idleTimer: NodeJS.Timeout | undefined;
  #restarts = 0;
  #closed = false;

  constructor(options: SupervisorOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    if (this.#closed) throw this.#stopped();
    if (this.#state === "ready") return;
    await this.#launch();
    if (this.#closed) throw this.#stopped();
    if (this.#failure) throw new HostFailure("unavailable", this.#failure.reason);
  }

  async run(name: string, input: unknown, options: RunOptions): Promise<unknown> {
    if (this.#closed) throw this.#stopped();
    if (this.#isFull())
      throw new HostFailure("full", `${this.#options.name} has ${this.#queue.length} tasks waiting`);
    const { task, promise } = createHostTask(name, input, options);
    if (!task.settled()) {
      task.onCancel = () => this.#dequeue(task);
      this.#queue.push(task);
      this.#pump();
    }
    return await promise;
  }

  stats(): HostStats {
    return {
      state: this.#state,
      pid: this.#life?.process.pid ?? null,
      restarts: this.#restarts,
      rssBytes: this.#life?.rssBytes() ?? null,
      inFlight: this.#life?.flights.size() ?? 0,
      queued: this.#queue.length,
      reason: this.#state === "failed" ? (this.#failure?.reason ?? null) : null,
    };
  }

  async stop(graceMs: number): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#idleTimer);
    this.#rejectQueued(() => this.#stopped());
    this.#life?.flights.failAll(() => this.#stopped());
    if (this.#life) this.#dismiss(this.#life, graceMs);
    await this.#launching;
    await Promise.all(this.#leaving);
  }

  /** Hands over as many tasks as may go now, and brings the child up or down as the queue demands. */
  #pump(): void {
    if (this.#closed) return;
    clearTimeout(this.#idleTimer);
    const life = this.#life;
    if (this.#state !== "ready" || !life) {
      if (this.#queue.length > 0) this.#wake();
      return;
    }
    // Its end comes here again, and brings up the next child.
    if (!life.process.alive()) return;
    for (let next = this.#queue[0]; next && this.#mayGo(next, life); next = this.#queue[0]) {
      this.#queue.shift();
      life.dispatch(next);
    }
    if (life.flights.size() > 0) return;
    // What still waits though nothing is in flight waits for another child.
    if (this.#queue.length > 0 || life.worn()) this.#dismiss(life, LEAVE_GRACE_MS);
    else this.#sleepLater(life);
  }

  #mayGo(task: HostTask, { flights, served, worn }: Life): boolean {
    if (worn() || flights.holdsAlone() || flights.size() >= this.#options.maxInFlight) return false;
    return !task.alone || served() === 0;
  }

  #isFull(): boolean {
    const { maxInFlight, maxQueued } = this.#options;
    return this.#queue.length + (this.#life?.flights.size() ?? 0) >= maxInFlight + maxQueued;
  }

  #wake(): void {
    const failure = this.#failure;
    if (this.#launching) return;
    if (failure && performance.now() < failure.retryAt)
      this.#rejectQueued(() => new HostFailure("unavailable", failure.reason));
    else void this.#launch();
  }

  #launch(): Promise<void> {
    this.#launching ??= this.#bringUp().finally(() => {
      this.#launching = null;
      this.#pump();
    });
    return this.#launching;
  }

  async #bringUp(): Promise<void> {
    this.#state = "starting";
    // Two children at once could take twice the memory that was allowed.
    await Promise.all(this.#leaving);
    if (this.#closed) return;
    try {
      const life = openLife(this.#options, {
        onLanded: () => this.#pump(),
        onWorn: () => this.#pump(),
        onEnded: (how) => this.#ended(life, how),
      });
      this.#life = life;
      await life.process.ready;
      // stop() may have come in between.
      if (this.#life !== life) return;
      this.#state = "ready";
      this.#failure = null;
    } catch (error) {
      if (!this.#closed) this.#startFailed((error as Error).message);
    }
  }

  #startFailed(reason: string): void {
    const { firstMs, maxMs } = this.#options.restartBackoff;
    const count = (this.#failure?.count ?? 0) + 1;
    const pauseMs = Math.min(maxMs, firstMs * 2 ** (count - 1));
    this.#failure = { reason, count, retryAt: performance.now() + pauseMs };
    this.#restarts++;
    this.#options.log.error({ host: this.#options.name, pauseMs }, reason);
    const life = this.#life;
    this.#rejectQueued(() => new HostFailure("unavailable", reason));
    if (life) {
      life.process.kill(reason);
      this.#dismiss(life, 0);
    }
    this.#state = "failed";
  }

  /** The child ended; unless it was told to leave, that is a crash, and what was in flight is suspect. */
  #ended(life: Life, how: string): void {
    // While it was starting, the launch itself hears of the end.
    if (this.#life !== life || this.#state !== "ready") return;
    this.#life = null;
    this.#state = "stopped";
    this.#restarts++;
    this.#options.log.warn({ host: this.#options.name, inFlight: life.flights.size() }, how);
    life.flights.failAll(() => new HostFailure("crashed", how));
    this.#pump();
  }

  /** Takes the child out of use and sees to its end; the next task gets a new one. */
  #dismiss(life: Life, graceMs: number): void {
    this.#life = null;
    this.#state = "stopped";
    const left: Promise<void> = life.process.stop(graceMs).then(() => void this.#leaving.delete(left));
    this.#leaving.add(left);
    this.#pump();
  }

  #sleepLater(life: Life): void {
    const { idleExitMs } = this.#options;
    if (idleExitMs === null) return;
    this.#idleTimer = setTimeout(() => this.#dismiss(life, LEAVE_GRACE_MS), idleExitMs);
    this.#idleTimer.unref();
  }

  /** Cancelled before its turn: whoever stood behind it may go now. */
  #dequeue(task: HostTask): void {
    const at = this.#queue.indexOf(task);
    if (at < 0) return;
    this.#queue.splice(at, 1);
    this.#pump();
  }

  #rejectQueued(failure: () => HostFailure): void {
    for (const task of this.#queue.splice(0)) task.reject(failure());
  }

  #stopped(): HostFailure {
    return new HostFailure("stopped", `${this.#options.name} has been stopped`);
  }
}
