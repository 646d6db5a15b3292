import { randomFillSync } from "node:crypto";

/** Random bytes of one id: 10, of which 74 bits are used. */
const RANDOM_BYTES = 10;
const IDS_PER_FILL = 64;
/** rand_a, the 12 bits after the time, counts within a millisecond. It starts in its lower half, to have room to count. */
const COUNTER_MAX = 0xfff;
const COUNTER_START_MASK = 0x7ff;

/**
 * Makes UUIDs of version 7 (RFC 9562). Each is greater than the one before, also within one millisecond and when the
 * clock goes back; then their time runs ahead of the clock until it catches up.
 */
export function createUuidV7(now: () => number = Date.now): () => string {
  const pool = Buffer.alloc(RANDOM_BYTES * IDS_PER_FILL);
  let used = pool.length;
  let lastMs = -1;
  let counter = 0;

  return () => {
    if (used === pool.length) {
      randomFillSync(pool);
      used = 0;
    }
    const random = pool.subarray(used, used + RANDOM_BYTES);
    used += RANDOM_BYTES;
    const ms = Math.floor(now());
    if (ms > lastMs) {
      lastMs = ms;
      counter = random.readUInt16BE(8) & COUNTER_START_MASK;
    } else if (++counter > COUNTER_MAX) {
      lastMs++;
      counter = 0;
    }
    return format(lastMs, counter, random);
  };
}

function format(ms: number, counter: number, random: Buffer): string {
  const time = ms.toString(16).padStart(12, "0");
  const count = counter.toString(16).padStart(3, "0");
  random[0] = ((random[0] as number) & 0x3f) | 0x80;
  const tail = random.toString("hex", 0, 8);
  return `${time.slice(0, 8)}-${time.slice(8)}-7${count}-${tail.slice(0, 4)}-${tail.slice(4)}`;
}
