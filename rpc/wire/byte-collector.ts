/** Gathers the pieces of one frame. Every byte is copied a bounded number of times, however small the pieces are. */
export interface ByteCollector {
  readonly length: number;
  append(piece: Buffer): void;
  /** All bytes so far, in order; the collector is empty afterwards. */
  take(): Buffer;
}

const FIRST_CAPACITY = 1024;
/** What the last frame took is set aside for the next one at once, up to here: frames of a stream are of one size. */
const MAX_FIRST_CAPACITY = 1024 * 1024;

/**
 * One buffer that doubles: a list of pieces would cost some 100 bytes of bookkeeping for each byte of a client that
 * dribbles, and joining the pieces again at each arrival would be quadratic.
 */
export function createByteCollector(): ByteCollector {
  let store: Buffer = Buffer.alloc(0);
  let length = 0;
  let first = FIRST_CAPACITY;

  function reserve(needed: number): void {
    if (needed <= store.length) return;
    const grown = Buffer.allocUnsafeSlow(Math.max(needed, store.length * 2, first));
    store.copy(grown, 0, 0, length);
    store = grown;
  }

  return {
    get length() {
      return length;
    },
    append(piece) {
      reserve(length + piece.length);
      piece.copy(store, length);
      length += piece.length;
    },
    take() {
      const bytes = store.subarray(0, length);
      first = Math.min(Math.max(length, FIRST_CAPACITY), MAX_FIRST_CAPACITY);
      store = Buffer.alloc(0);
      length = 0;
      return bytes;
    },
  };
}
