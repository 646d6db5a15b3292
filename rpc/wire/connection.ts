import type { Socket } from "node:net";
import { createEncodedFrames, type EncodedJson } from "./encoded-frame.ts";
import { type Fault, streamFault } from "./fault.ts";
import { createFrameDecoder, encodeFrame, type Frame, type Framing, type FrameDecoder } from "./framing.ts";
import { readBody } from "./json-body.ts";
import type { WireLimits } from "./limits.ts";

/** Why a connection ended; `peer` is the other side's own doing, `error` the operating system's. */
export type CloseReason =
  | "finished"
  | "peer"
  | "error"
  | "bad-frame"
  | "slow-sender"
  | "slow-reader"
  | "stopped";

/** Messages over one socket, in the framing that the peer chose. */
export interface Connection {
  /** Writes one message. A peer that leaves too much unread is dropped instead. */
  send(text: EncodedJson | string): void;
  /** Resolves when all that was written has gone out, so that one more message fits, or when the connection has closed. */
  drained(): Promise<void>;
  /** Reads no more, and closes when what was sent has gone out. */
  finish(reason: CloseReason): void;
  /** Closes at once; what was not written is lost. */
  destroy(reason: CloseReason): void;
}

export interface ConnectionDeps {
  readonly socket: Socket;
  readonly limits: Pick<WireLimits, "maxFrameBytes" | "maxDepth" | "partialFrameMs" | "maxUnreadBytes">;
  /** Set by the side that opens the connection; the other learns it from the first bytes. */
  readonly framing?: Framing | undefined;
  readonly onMessage: (value: unknown) => void;
  /** Called once for each frame that is no message; after a fatal one the connection closes by itself. */
  readonly onFault: (fault: Fault) => void;
  /** The peer writes no more and all it wrote was delivered; it may still read. */
  readonly onEnd: () => void;
  readonly onClose: (reason: CloseReason) => void;
}

/** So many frames are worked on before other connections have their turn. */
const FRAMES_A_TURN = 32;
/** How long a closing connection waits for the peer to take what was written. */
const LINGER_MS = 1_000;
/** How often a peer that stopped writing is asked whether it is still there. */
const PROBE_MS = 250;

export function openConnection(deps: ConnectionDeps): Connection {
  const connection = new SocketConnection(deps);
  connection.start();
  return connection;
}

class SocketConnection implements Connection {
  readonly #deps: ConnectionDeps;
  readonly #socket: Socket;
  readonly #decoder: FrameDecoder;
  readonly #encoded = createEncodedFrames();
  #reason: CloseReason | null = null;
  #ended = false;
  /** Frames wait for the next turn of the event loop; the socket is paused meanwhile. */
  #paused = false;
  #frames = 0;
  #partialTimer: NodeJS.Timeout | undefined;
  #partialFrame = -1;
  #probe: NodeJS.Timeout | undefined;

  constructor(deps: ConnectionDeps) {
    this.#deps = deps;
    this.#socket = deps.socket;
    this.#decoder = createFrameDecoder({ maxFrameBytes: deps.limits.maxFrameBytes, framing: deps.framing });
  }

  start(): void {
    this.#socket.on("data", (chunk: Buffer) => {
      // What a peer sends to a closing connection is read and dropped.
      if (this.#reason !== null) return;
      this.#decoder.push(chunk);
      this.#drain();
    });
    this.#socket.on("end", () => {
      this.#ended = true;
      this.#decoder.end();
      this.#drain();
    });
    // A close event follows each error: what there is to do is done there.
    this.#socket.on("error", () => (this.#reason ??= "error"));
    this.#socket.on("close", () => {
      clearTimeout(this.#partialTimer);
      clearInterval(this.#probe);
      this.#deps.onClose((this.#reason ??= "peer"));
    });
  }

  send(text: EncodedJson | string): void {
    if (this.#reason !== null) return;
    const framing = this.#decoder.framing ?? "ndjson";
    const unread = this.#socket.writableLength;
    const bytes =
      typeof text === "string"
        ? encodeFrame(framing, text)
        : this.#encoded.frame(framing, text, unread === 0);
    // One answer always fits when all before it was read: a client that reads loses nothing to the cap.
    if (unread > 0 && unread + bytes.length > this.#deps.limits.maxUnreadBytes) this.destroy("slow-reader");
    else this.#socket.write(bytes);
  }

  drained(): Promise<void> {
    const socket = this.#socket;
    if (socket.destroyed || socket.writableLength === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const done = () => {
        socket.off("close", done);
        resolve();
      };
      socket.once("close", done);
      // "drain" comes only behind much that waited; a write of nothing is done when all before it is.
      if (this.#reason === null) socket.write(Buffer.alloc(0), done);
    });
  }

  finish(reason: CloseReason): void {
    if (this.#reason !== null) return;
    this.#reason = reason;
    clearTimeout(this.#partialTimer);
    const lingering = setTimeout(() => this.#socket.destroy(), LINGER_MS);
    this.#socket.once("close", () => clearTimeout(lingering));
    this.#socket.end(() => this.#socket.destroy());
  }

  destroy(reason: CloseReason): void {
    this.#reason ??= reason;
    this.#socket.destroy();
  }

  #drain(): void {
    if (this.#paused) return;
    let left = FRAMES_A_TURN;
    while (this.#reason === null) {
      const frame = this.#decoder.next();
      if (frame === null) return this.#idle();
      this.#deliver(frame);
      if (--left === 0) return this.#continueNextTurn();
    }
  }

  #continueNextTurn(): void {
    this.#paused = true;
    this.#socket.pause();
    setImmediate(() => {
      this.#paused = false;
      this.#socket.resume();
      this.#drain();
    });
  }

  #deliver(frame: Frame): void {
    this.#frames++;
    const reading = frame.fault === undefined ? readBody(frame.bytes, this.#deps.limits.maxDepth) : frame;
    if (reading.fault === undefined) this.#deps.onMessage(reading.value);
    else this.#fail(reading.fault, "bad-frame");
  }

  #fail(fault: Fault, reason: CloseReason): void {
    this.#deps.onFault(fault);
    if (fault.fatal) this.finish(reason);
  }

  /** All that arrived was delivered, but perhaps for the beginning of one more frame. */
  #idle(): void {
    this.#watchPartialFrame();
    if (!this.#ended || this.#probe !== undefined) return;
    this.#probe = setInterval(() => this.#probePeer(), PROBE_MS);
    this.#deps.onEnd();
  }

  #watchPartialFrame(): void {
    const { partialFrameMs } = this.#deps.limits;
    if (!this.#decoder.partial || this.#partialFrame !== this.#frames) clearTimeout(this.#partialTimer);
    if (!this.#decoder.partial || this.#partialFrame === this.#frames || partialFrameMs === Infinity) return;
    this.#partialFrame = this.#frames;
    // The loop reads sockets between a timer and an immediate: what arrived while the loop was busy still counts.
    this.#partialTimer = setTimeout(() => setImmediate(() => this.#cutSlowSender()), partialFrameMs);
  }

  #cutSlowSender(): void {
    if (this.#reason !== null || !this.#decoder.partial || this.#partialFrame !== this.#frames) return;
    const seconds = this.#deps.limits.partialFrameMs / 1_000;
    this.#fail(
      streamFault(`a message must be complete within ${seconds} s of its first byte`),
      "slow-sender",
    );
  }

  /**
   * A peer that is gone looks like one that has only ended its writing. An empty write tells them apart on Linux: it
   * fails when nobody can read any more, and sends nothing when somebody can. With output waiting, that write tells.
   */
  #probePeer(): void {
    if (this.#reason === null && this.#socket.writableLength === 0) this.#socket.write(Buffer.alloc(0));
  }
}
