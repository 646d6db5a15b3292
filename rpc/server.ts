import { createServer, type Socket } from "node:net";
import { setImmediate } from "node:timers/promises";
import { KnowdError } from "../daemon/runtime/errors.ts";
import type { Router } from "./router.ts";
import type { CloseReason } from "./wire/connection.ts";
import { type Endpoint, openEndpoint, type Peer } from "./wire/endpoint.ts";
import { tableErrorAnswer } from "./wire/error-answer.ts";
import { encodeFrame } from "./wire/framing.ts";
import { createInFlight } from "./wire/in-flight.ts";
import { completeLimits, type WireLimits } from "./wire/limits.ts";
import { listenAt, SocketInUseError } from "./wire/listen.ts";
import { createTokenGate } from "./wire/pipe-token.ts";
import { isNamedPipePlatform, SocketPathError } from "./wire/socket-path.ts";

/** Where cut connections and failed accepts are told. */
interface ServerLog {
  warn(data: Readonly<Record<string, unknown>>, message: string): void;
}

export interface ServerDeps {
  readonly socketPath: string;
  readonly router: Router;
  readonly limits?: Partial<WireLimits> | undefined;
  /** What each client must show first; needed where the socket is a named pipe. */
  readonly token?: string | undefined;
  readonly log?: ServerLog | undefined;
  /** Closes the server at once. */
  readonly signal?: AbortSignal | undefined;
}

export interface RpcServer {
  readonly address: string;
  connections(): readonly Peer[];
  /** Requests that are being worked on, of all connections. */
  inFlight(): number;
  /** New clients are turned away and new requests answered with STOPPING; what is in flight goes on. */
  stopAccepting(): void;
  /** Waits until all requests are answered, aborts what is left after deadlineMs, and removes the socket. */
  close(deadlineMs: number): Promise<void>;
}

/** Listens at the socket and answers through the router. Rejects with ALREADY_RUNNING or PATH_INVALID. */
export async function openServer(deps: ServerDeps): Promise<RpcServer> {
  deps.signal?.throwIfAborted();
  if (isNamedPipePlatform && deps.token === undefined)
    throw new TypeError("a named pipe needs a token: every user of the machine may open it");
  const clients = createClients(deps);
  const listener = createServer({ allowHalfOpen: true }, (socket) => clients.add(socket));
  const removeSocket = await listenAt(listener, deps.socketPath).catch((error: unknown) => {
    throw startError(error);
  });
  // Running out of descriptors comes here: the next client may be lucky again.
  listener.on("error", (error) => deps.log?.warn({ err: error }, "a client could not be accepted"));
  const closed = new Promise<void>((resolve) => listener.once("close", resolve));
  let closing: Promise<void> | undefined;

  function stopAccepting(): void {
    if (listener.listening) listener.close();
    clients.drain();
  }
  async function closeOnce(deadlineMs: number): Promise<void> {
    stopAccepting();
    await clients.end(deadlineMs);
    await closed;
    removeSocket();
  }
  const server: RpcServer = {
    address: deps.socketPath,
    connections: () => clients.peers(),
    inFlight: () => clients.inFlight(),
    stopAccepting,
    close: (deadlineMs) => (closing ??= closeOnce(deadlineMs)),
  };
  const abort = () =>
    server
      .close(0)
      .catch((error: unknown) => deps.log?.warn({ err: error }, "the socket could not be removed"));
  if (deps.signal?.aborted === true) await abort();
  deps.signal?.throwIfAborted();
  deps.signal?.addEventListener("abort", () => void abort(), { once: true });
  return server;
}

interface Clients {
  add(socket: Socket): void;
  peers(): readonly Peer[];
  inFlight(): number;
  drain(): void;
  end(deadlineMs: number): Promise<void>;
}

function createClients(deps: ServerDeps): Clients {
  const limits = completeLimits(deps.limits);
  const inFlight = createInFlight(limits);
  const endpoints = new Set<Endpoint>();
  let lastId = 0;
  let draining = false;
  let onEmpty: (() => void) | undefined;

  function add(socket: Socket): void {
    if (draining || endpoints.size >= limits.maxConnections) return turnAway(socket, draining);
    const id = ++lastId;
    const endpoint = openEndpoint({
      id,
      socket,
      limits,
      inFlight,
      dispatcher: deps.router,
      gate: deps.token === undefined ? undefined : createTokenGate(deps.token),
      onClose(reason) {
        endpoints.delete(endpoint);
        if (isCut(reason)) deps.log?.warn({ connection: id, reason }, "a client was cut off");
        if (endpoints.size === 0) onEmpty?.();
      },
    });
    endpoints.add(endpoint);
  }

  return {
    add,
    peers: () => [...endpoints].map(({ peer }) => peer),
    inFlight: () => inFlight.total,
    drain() {
      draining = true;
      for (const endpoint of endpoints) endpoint.drain();
    },
    async end(deadlineMs) {
      if (endpoints.size === 0) return;
      const empty = new Promise<void>((resolve) => (onEmpty = resolve));
      const timer = setTimeout(() => void cutOff(endpoints), deadlineMs);
      await empty;
      clearTimeout(timer);
    },
  };
}

/** Answers what is still in flight with STOPPING, and closes whatever the clients make of it. */
async function cutOff(endpoints: ReadonlySet<Endpoint>): Promise<void> {
  for (const endpoint of endpoints) endpoint.abort(new KnowdError("STOPPING"));
  // The answers are made in microtasks and written in this turn of the loop.
  await setImmediate();
  for (const endpoint of endpoints) endpoint.destroy("stopped");
}

function isCut(reason: CloseReason): boolean {
  return reason === "bad-frame" || reason === "slow-sender" || reason === "slow-reader";
}

/** Such a client has said nothing yet, so its framing is unknown: one line is readable in any. */
function turnAway(socket: Socket, stopping: boolean): void {
  const answer = tableErrorAnswer(null, stopping ? "STOPPING" : "OVERLOADED");
  // It may be gone already, which is what was to be reached.
  socket.on("error", () => socket.destroy());
  socket.end(encodeFrame("ndjson", JSON.stringify(answer)), () => socket.destroy());
}

function startError(error: unknown): unknown {
  if (error instanceof SocketInUseError)
    return new KnowdError("ALREADY_RUNNING", { socketPath: error.path }, error.message, error);
  if (error instanceof SocketPathError)
    return new KnowdError("PATH_INVALID", { path: error.path, reason: error.message }, error.message, error);
  return error;
}
