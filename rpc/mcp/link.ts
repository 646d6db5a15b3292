import type { Client, CallOptions } from "../client.ts";
import { ConnectionLostError, RpcError } from "../client-errors.ts";
import type { Access } from "../contract/define.ts";
import { takeTurns } from "./turns.ts";

export interface LinkDeps {
  /** A connection to the daemon, which is started if none runs. */
  readonly connect: () => Promise<Client>;
  /** A connection to a daemon that runs already, or null. */
  readonly connectIfRunning: () => Promise<Client | null>;
  /** Runs with each new connection before it is used: opens the session, subscribes. */
  readonly prepare: (client: Client) => Promise<void>;
  readonly log: (line: string) => void;
}

/** The way to the daemon, over as many connections as it takes: a daemon may be stopped, killed and started again. */
export interface Link {
  /** Calls a method. One that reads is asked again when the connection ended before its answer came. */
  call(method: string, params: object, access: Access, options?: CallOptions): Promise<unknown>;
  close(): void;
}

/** How often a lost daemon is looked for, so that changes are told of again once it is back. */
const LOOK_AGAIN_MS = 2_000;
/** A daemon that stops says so to each call until it is gone, which takes it seconds at most. */
const STOPPING_TRIES = 40;
const STOPPING_WAIT_MS = 250;
/** A query that ends the daemon each time must not do so for ever. */
const LOST_TRIES = 4;
/** Longer each time: a process that was killed may take as long to go. */
const LOST_WAIT_MS = 150;
/** The daemon takes 16 of a connection: what a new connection asks for beside them has its place too. */
const MAX_AT_ONCE = 12;

export function openLink(deps: LinkDeps): Link {
  return new DaemonLink(deps);
}

class DaemonLink implements Link {
  readonly #deps: LinkDeps;
  readonly #turns = takeTurns(MAX_AT_ONCE);
  #client: Promise<Client> | null = null;
  #lookAgain: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(deps: LinkDeps) {
    this.#deps = deps;
  }

  async call(method: string, params: object, access: Access, options: CallOptions = {}): Promise<unknown> {
    return await this.#turns.run(options.signal, () => this.#call(method, params, access, options));
  }

  async #call(method: string, params: object, access: Access, options: CallOptions): Promise<unknown> {
    for (let lost = 0, stopping = 0; ;) {
      options.signal?.throwIfAborted();
      const ready = this.#connected();
      let isAsked = false;
      try {
        const client = await ready;
        isAsked = true;
        return await client.callAny(method, params, options);
      } catch (error) {
        if (error instanceof ConnectionLostError) {
          this.#forget(ready);
          if ((isAsked && access !== "read") || ++lost >= LOST_TRIES) throw error;
          await new Promise((resolve) => setTimeout(resolve, lost * LOST_WAIT_MS));
        } else if (error instanceof RpcError && error.errorName === "STOPPING") {
          // It did nothing of what was asked: once it is gone, the next one is asked.
          if (++stopping >= STOPPING_TRIES) throw error;
          await new Promise((resolve) => setTimeout(resolve, STOPPING_WAIT_MS));
        } else throw error;
      }
    }
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#lookAgain);
    this.#client?.then(
      (client) => client.close(),
      () => undefined,
    );
  }

  #connected(): Promise<Client> {
    if (this.#client !== null) return this.#client;
    clearTimeout(this.#lookAgain);
    return this.#take(this.#deps.connect());
  }

  /** All who ask while a connection is being made get the same one; a failure is forgotten, so the next call tries anew. */
  #take(connecting: Promise<Client>): Promise<Client> {
    const ready = this.#prepared(connecting);
    this.#client = ready;
    ready.then(
      (client) => client.closed.then((why) => this.#lost(ready, why)),
      () => this.#forget(ready),
    );
    return ready;
  }

  async #prepared(connecting: Promise<Client>): Promise<Client> {
    const client = await connecting;
    try {
      if (this.#closed) throw new ConnectionLostError("The connection was closed.");
      await this.#deps.prepare(client);
    } catch (error) {
      client.close();
      throw error;
    }
    return client;
  }

  #lost(ready: Promise<Client>, why: ConnectionLostError | null): void {
    if (this.#closed || why === null) return;
    this.#forget(ready);
    this.#deps.log(`${why.message} The next call connects again.`);
    this.#look();
  }

  #forget(ready: Promise<Client>): void {
    if (this.#client === ready) this.#client = null;
  }

  /** A daemon that was stopped on purpose is not started from here, only by the next call. */
  #look(): void {
    clearTimeout(this.#lookAgain);
    this.#lookAgain = setTimeout(() => void this.#lookOnce(), LOOK_AGAIN_MS);
    this.#lookAgain.unref();
  }

  async #lookOnce(): Promise<void> {
    try {
      const found = await this.#deps.connectIfRunning();
      if (found === null) return this.#look();
      if (this.#client !== null || this.#closed) return found.close();
      await this.#take(Promise.resolve(found));
      return undefined;
    } catch (error) {
      this.#deps.log(`Looking for the daemon: ${error instanceof Error ? error.message : String(error)}`);
      return this.#look();
    }
  }
}
