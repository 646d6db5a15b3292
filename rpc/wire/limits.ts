const MIB = 1024 * 1024;

/** No setting may raise the frame cap above this: a frame is parsed in one piece on the main thread. */
export const MAX_FRAME_BYTES = 16 * MIB;

/** What one client may ask of the daemon, and for how long. */
export interface WireLimits {
  /** Bytes of one message, without its header or line end; at most MAX_FRAME_BYTES for a server. */
  readonly maxFrameBytes: number;
  /** Nested arrays and objects of one message. */
  readonly maxDepth: number;
  /** Requests in one batch. */
  readonly maxBatch: number;
  /** Requests being worked on at once, of one connection and of all of them. */
  readonly maxInFlightPerConnection: number;
  readonly maxInFlight: number;
  readonly maxConnections: number;
  /** From a message's first byte to its last, in milliseconds; Infinity waits for ever. */
  readonly partialFrameMs: number;
  /** Bytes written to a client that it has not read. */
  readonly maxUnreadBytes: number;
}

const defaultLimits: WireLimits = {
  maxFrameBytes: MIB,
  maxDepth: 64,
  maxBatch: 32,
  maxInFlightPerConnection: 16,
  maxInFlight: 128,
  maxConnections: 64,
  partialFrameMs: 3_000,
  maxUnreadBytes: 4 * MIB,
};

/** The defaults with what the configuration changes; refuses a frame cap that is not a whole number in bounds. */
export function completeLimits(changed: Partial<WireLimits> = {}): WireLimits {
  const limits = { ...defaultLimits, ...changed };
  const { maxFrameBytes } = limits;
  if (!Number.isInteger(maxFrameBytes) || maxFrameBytes < 1 || maxFrameBytes > MAX_FRAME_BYTES)
    throw new RangeError(`maxFrameBytes must be 1 to ${MAX_FRAME_BYTES}, not ${maxFrameBytes}`);
  return limits;
}
