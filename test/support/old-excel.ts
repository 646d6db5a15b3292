import { createHash, randomBytes } from "node:crypto";

/** One record of the stream of an old workbook. */
export function biffRecord(type: number, body: Buffer): Buffer {
  const head = Buffer.alloc(4);
  head.writeUInt16LE(type, 0);
  head.writeUInt16LE(body.length, 2);
  return Buffer.concat([head, body]);
}

/** A record that says how the stream is encrypted, and the key of each of its blocks. */
interface Pass {
  readonly record: Buffer;
  readonly keyOf: (block: number) => Buffer;
}

/** As Excel 97 encrypts. */
export function md5Pass(password: Buffer): Pass {
  const salt = randomBytes(16);
  const short = hashed("md5", password).subarray(0, 5);
  const secret = hashed(
    "md5",
    ...Array.from({ length: 32 }, (_, at) => (at % 2 === 0 ? short : salt)),
  ).subarray(0, 5);
  const keyOf = (block: number): Buffer => hashed("md5", secret, little(block));
  const verifier = randomBytes(16);
  const check = rc4(keyOf(0), Buffer.concat([verifier, hashed("md5", verifier)]));
  return { keyOf, record: Buffer.concat([Buffer.from("010001000100", "hex"), salt, check]) };
}

/** As Excel 2002 encrypts. */
export function shaPass(password: Buffer): Pass {
  const salt = randomBytes(16);
  const secret = hashed("sha1", salt, password);
  const keyOf = (block: number): Buffer => hashed("sha1", secret, little(block)).subarray(0, 16);
  const verifier = randomBytes(16);
  const check = rc4(keyOf(0), Buffer.concat([verifier, hashed("sha1", verifier)]));
  // Flags, extra size, RC4, SHA-1, bits of the key, provider, two reserved, no name.
  const header = Buffer.concat([4, 0, 0x6801, 0x8004, 128, 1, 0, 0].map(little));
  const version = Buffer.from("0100020002000400000020000000", "hex");
  return {
    keyOf,
    record: Buffer.concat([
      version,
      header,
      little(16),
      salt,
      check.subarray(0, 16),
      little(20),
      check.subarray(16),
    ]),
  };
}

/** The stream as Excel would have encrypted it, with the record behind its first one. */
export function encrypted(stream: Buffer, record: Buffer, keyOf: (block: number) => Buffer): Buffer {
  const first = 4 + stream.readUInt16LE(2);
  const pass = biffRecord(0x002f, record);
  const whole = Buffer.concat([stream.subarray(0, first), pass, stream.subarray(first)]);
  const cipher = Buffer.concat(
    Array.from({ length: Math.ceil(whole.length / 1024) }, (_, block) =>
      rc4(keyOf(block), Buffer.alloc(1024)),
    ),
  );
  for (let at = 0; at + 4 <= whole.length;) {
    const type = whole.readUInt16LE(at);
    const end = at + 4 + whole.readUInt16LE(at + 2);
    if (type === 0x85) whole.writeUInt32LE(whole.readUInt32LE(at + 4) + pass.length, at + 4);
    const from = type === 0x85 ? at + 8 : at + 4;
    if (type !== 0x0809 && type !== 0x002f && type !== 0x00e1)
      for (let byte = from; byte < end; byte++) whole[byte] = (whole[byte] ?? 0) ^ (cipher[byte] ?? 0);
    at = end;
  }
  return whole;
}

function rc4(key: Buffer, bytes: Buffer): Buffer {
  const state = Array.from({ length: 256 }, (_, at) => at);
  for (let at = 0, other = 0; at < 256; at++) {
    other = (other + (state[at] ?? 0) + (key[at % key.length] ?? 0)) % 256;
    [state[at], state[other]] = [state[other] ?? 0, state[at] ?? 0];
  }
  let [one, two] = [0, 0];
  const made = Array.from({ length: bytes.length }, () => {
    one = (one + 1) % 256;
    two = (two + (state[one] ?? 0)) % 256;
    [state[one], state[two]] = [state[two] ?? 0, state[one] ?? 0];
    return state[((state[one] ?? 0) + (state[two] ?? 0)) % 256] ?? 0;
  });
  return bytes.map((byte, at) => byte ^ (made[at] ?? 0)) as Buffer;
}

function little(number: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(number);
  return bytes;
}

function hashed(name: string, ...pieces: readonly Buffer[]): Buffer {
  return pieces.reduce((hash, piece) => hash.update(piece), createHash(name)).digest();
}
