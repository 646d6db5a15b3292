import { connect as connectSocket, type Socket } from "node:net";
import {
  createJSONRPCNotification,
  createJSONRPCRequest,
  isJSONRPCRequest,
  isJSONRPCResponse,
  JSONRPCClient,
  type JSONRPCError,
  type JSONRPCRequest,
  type JSONRPCResponse,
} from "json-rpc-2.0";
import { ConnectionLostError, NoDaemonError, RpcError } from "./client-errors.ts";
import type { MethodName, Notifications, ParamsInput, Result } from "./contract/index.ts";
import { type Connection, openConnection } from "./wire/connection.ts";
import type { Framing } from "./wire/framing.ts";
import { checkSocketFolder, checkSocketPathLength, isNamedPipePlatform } from "./wire/socket-path.ts";

// The package's entry is this file: what calls reject with is caught by these classes.
export { ConnectionLostError, NoDaemonError, RpcError };

export interface ConnectOptions {
  readonly socketPath: string;
  /** Hears every notification, beside the listeners of `on`. */
  readonly onNotification?: ((name: string, params: unknown) => void) | undefined;
  /** Gives up connecting; an open connection is closed with `close`. */
  readonly signal?: AbortSignal | undefined;
  readonly framing?: Framing | undefined;
  /** Shown first where the daemon listens at a named pipe. */
  readonly token?: string | undefined;
}

export type Progress = Notifications["$/progress"];

export interface CallOptions {
  /** Cancels the request at the daemon and rejects with the signal's reason at once. */
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** Cancels the request and rejects with DEADLINE; without it the daemon's own deadline holds. */
  readonly timeoutMs?: number | undefined;
}

/** A connection to a daemon. Calls reject with RpcError, or with ConnectionLostError when the connection ends first. */
export interface Client {
  call<M extends MethodName>(method: M, params: ParamsInput<M>, options?: CallOptions): Promise<Result<M>>;
  /** A call whose method is known only at run time: the daemon checks all of it. */
  callAny(method: string, params?: unknown, options?: CallOptions): Promise<unknown>;
  notify(method: string, params?: unknown): void;
  /** Returns the function that takes the listener away. */
  on<N extends keyof Notifications>(name: N, listener: (params: Notifications[N]) => void): () => void;
  /** Ends the connection once what was sent has gone out; open calls reject. */
  close(): void;
  /** Resolves when the connection has ended: null after `close`, else why. */
  readonly closed: Promise<ConnectionLostError | null>;
}

const MIB = 1024 * 1024;

/** The daemon is trusted: only a runaway answer is refused, and a slow one is waited for. */
const CLIENT_LIMITS = {
  maxFrameBytes: 64 * MIB,
  // A pass over all bytes of a stream, against what only a daemon could send.
  maxDepth: Infinity,
  partialFrameMs: Infinity,
  maxUnreadBytes: Infinity,
};

/** Rejects with NoDaemonError when nobody listens, with SocketPathError when the socket's folder lets others in. */
export async function connect(options: ConnectOptions): Promise<Client> {
  const { signal, socketPath } = options;
  signal?.throwIfAborted();
  if (!isNamedPipePlatform) checkPlace(socketPath);
  const client = new SocketClient(await openSocket(socketPath, signal), options);
  if (options.token !== undefined) await client.showToken(options.token, { signal });
  return client;
}

function checkPlace(socketPath: string): void {
  checkSocketPathLength(socketPath);
  try {
    checkSocketFolder(socketPath);
  } catch (error) {
    throw connectError(error, socketPath);
  }
}

function openSocket(socketPath: string, signal: AbortSignal | undefined): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connectSocket({ path: socketPath });
    const onAbort = () => socket.destroy(signal?.reason as Error);
    const onError = (error: Error) => {
      signal?.removeEventListener("abort", onAbort);
      reject(connectError(error, socketPath));
    };
    signal?.addEventListener("abort", onAbort, { once: true });
    socket.once("error", onError);
    socket.once("connect", () => {
      signal?.removeEventListener("abort", onAbort);
      socket.off("error", onError);
      resolve(socket);
    });
  });
}

const NOBODY_LISTENS: ReadonlySet<unknown> = new Set(["ENOENT", "ENOTDIR", "ECONNREFUSED"]);

function connectError(error: unknown, socketPath: string): unknown {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return NOBODY_LISTENS.has(code) ? new NoDaemonError(socketPath, error) : error;
}

class SocketClient implements Client {
  readonly closed: Promise<ConnectionLostError | null>;
  readonly #connection: Connection;
  readonly #rpc: JSONRPCClient;
  readonly #onNotification: ConnectOptions["onNotification"];
  readonly #listeners = new Map<string, Set<(params: never) => void>>();
  readonly #progress = new Map<string | number, (progress: Progress) => void>();
  #lastId = 0;
  /** Set once no more answers can come. */
  #lost: ConnectionLostError | null = null;
  #closedHere = false;
  /** The daemon's word about the connection as a whole, which comes before it closes one. */
  #lastWord: string | null = null;

  constructor(socket: Socket, options: ConnectOptions) {
    this.#onNotification = options.onNotification;
    const { promise, resolve } = settleable<ConnectionLostError | null>();
    this.closed = promise;
    this.#connection = openConnection({
      socket,
      limits: CLIENT_LIMITS,
      framing: options.framing ?? "ndjson",
      onMessage: (message) =>
        (Array.isArray(message) ? message : [message]).forEach((one) => this.#take(one)),
      onFault: (fault) => {
        this.#lastWord = `what the daemon sent can't be read (${fault.message})`;
        this.#connection.destroy("bad-frame");
      },
      onEnd: () => this.#connection.finish("finished"),
      onClose: () => {
        this.#lose();
        resolve(this.#closedHere ? null : this.#lost);
      },
    });
    this.#rpc = new JSONRPCClient((payload: unknown) => this.#connection.send(JSON.stringify(payload)));
  }

  call<M extends MethodName>(method: M, params: ParamsInput<M>, options?: CallOptions): Promise<Result<M>> {
    // The daemon answers as the contract says; its tests compare each result with the schema.
    return this.callAny(method, params, options) as Promise<Result<M>>;
  }

  async callAny(method: string, params?: unknown, options: CallOptions = {}): Promise<unknown> {
    const id = ++this.#lastId;
    const { onProgress } = options;
    if (onProgress === undefined)
      return await this.#request(createJSONRPCRequest(id, method, params), options);
    this.#progress.set(id, onProgress);
    try {
      const tokened = { ...(params as object | undefined), progressToken: id };
      return await this.#request(createJSONRPCRequest(id, method, tokened), options);
    } finally {
      this.#progress.delete(id);
    }
  }

  async showToken(token: string, options: CallOptions): Promise<void> {
    try {
      // Loads node:crypto, which a client of a Unix socket has no use for.
      const { helloRequest } = await import("./wire/pipe-token.ts");
      await this.#request(helloRequest(++this.#lastId, token), options);
    } catch (error) {
      this.close();
      throw error;
    }
  }

  notify(method: string, params?: unknown): void {
    this.#connection.send(JSON.stringify(createJSONRPCNotification(method, params)));
  }

  on<N extends keyof Notifications>(name: N, listener: (params: Notifications[N]) => void): () => void {
    const listeners = this.#listeners.get(name) ?? new Set();
    this.#listeners.set(name, listeners);
    listeners.add(listener);
    return () => listeners.delete(listener);
  }

  close(): void {
    this.#closedHere = true;
    this.#lose();
    this.#connection.finish("finished");
  }

  #lose(): void {
    this.#lost ??= new ConnectionLostError(
      this.#closedHere
        ? "The connection was closed."
        : (this.#lastWord ?? "The daemon closed the connection."),
    );
    this.#rpc.rejectAllPendingRequests(this.#lost.message);
  }

  #request(request: JSONRPCRequest, { signal, timeoutMs }: CallOptions): Promise<unknown> {
    if (this.#lost !== null) return Promise.reject(this.#lost);
    if (signal?.aborted === true) return Promise.reject(signal.reason);
    return new Promise((resolve, reject) => {
      const cleanUp = () => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", onAbort);
      };
      const giveUp = (reason: unknown) => {
        cleanUp();
        this.notify("$/cancel", { id: request.id });
        reject(reason);
      };
      const onAbort = () => giveUp(signal?.reason);
      const timer =
        timeoutMs === undefined
          ? undefined
          : setTimeout(() => giveUp(RpcError.ofTable("DEADLINE")), timeoutMs);
      signal?.addEventListener("abort", onAbort, { once: true });
      const answered = (response: JSONRPCResponse) => {
        cleanUp();
        if (response.error === undefined) resolve(response.result);
        else reject(this.#errorOf(response.error));
      };
      this.#rpc.requestAdvanced(request).then(answered, reject);
    });
  }

  #errorOf(error: JSONRPCError): Error {
    return this.#lost ?? new RpcError(error.code, error.message, error.data as unknown);
  }

  #take(message: unknown): void {
    if (typeof message !== "object" || message === null) return;
    if (isJSONRPCResponse(message)) {
      if (message.id === null) this.#lastWord = message.error?.message ?? null;
      this.#rpc.receive(message);
    } else if (isJSONRPCRequest(message)) this.#hear(message.method, message.params);
  }

  #hear(name: string, params: unknown): void {
    if (name === "$/progress") {
      const progress = params as Progress;
      this.#progress.get(progress.token)?.(progress);
    }
    for (const listener of this.#listeners.get(name) ?? []) listener(params as never);
    this.#onNotification?.(name, params);
  }
}

function settleable<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: ((value: T) => void) | undefined;
  const promise = new Promise<T>((settle) => (resolve = settle));
  return { promise, resolve: (value) => resolve?.(value) };
}
