import { createHash } from "node:crypto";
import { passwordNeeded } from "../password.ts";
import { DEFAULT_PASSWORD } from "../spreadsheet/default-password.ts";
import { RollingCipher } from "./rolling-cipher.ts";

/** Says how what follows is encrypted. */
const FILE_PASS = 0x002f;
/** Stands in its place when nothing is encrypted any more: a selection, of which nothing is read. */
const NO_PASS = 0x001d;
const SHEET = 0x0085;
/** Where a sheet begins stands at the front of the record that names it, as it is. */
const SHEET_PLACE_BYTES = 4;
/** Beginnings of streams, and records that programs look at before they ask for a password, are written as they are. */
const PLAIN: ReadonlySet<number> = new Set([
  0x0009,
  0x0209,
  0x0409,
  0x0809,
  FILE_PASS,
  0x00e1,
  0x0138,
  0x0194,
  0x0195,
  0x0196,
]);
/** Bytes of the stream that one key is for. */
const BLOCK_BYTES = 1024;
const CIPHER_OF_1997 = 1;
const HASH_BYTES = 16;
/** Kinds of hash and cipher that the newer way is written with. */
const RC4 = 0x6801;

/** The key of each block of the stream. */
type KeyOf = (block: number) => Buffer;

/**
 * Decrypts the stream of a workbook in place, where it is encrypted with the password that Excel itself tries: the protection
 * of a workbook's build is kept so. @throws ReadProblem needs_password for any other.
 */
export function unlockStream(stream: Buffer): void {
  const pass = findPass(stream);
  if (pass === null) return;
  const keyOf = keyFor(pass);
  if (keyOf === null) throw passwordNeeded();
  let block = -1;
  let cipher = new RollingCipher(keyOf(0));
  const decrypt = (from: number, to: number): void => {
    for (let at = from; at < to;) {
      const now = Math.floor(at / BLOCK_BYTES);
      const end = Math.min(to, (now + 1) * BLOCK_BYTES);
      if (now !== block) {
        cipher = new RollingCipher(keyOf(now));
        block = now;
      }
      cipher.skipTo(at % BLOCK_BYTES);
      cipher.apply(stream.subarray(at, end));
      at = end;
    }
  };
  for (let at = 0; at + 4 <= stream.length;) {
    const type = stream.readUInt16LE(at);
    const end = Math.min(stream.length, at + 4 + stream.readUInt16LE(at + 2));
    if (!PLAIN.has(type)) decrypt(Math.min(end, at + 4 + (type === SHEET ? SHEET_PLACE_BYTES : 0)), end);
    if (type === FILE_PASS) stream.writeUInt16LE(NO_PASS, at);
    at = end;
  }
}

/** The record that says so stands near the beginning of the first stream. */
function findPass(stream: Buffer): Buffer | null {
  for (let at = 0; at + 4 <= stream.length;) {
    const end = at + 4 + stream.readUInt16LE(at + 2);
    const type = stream.readUInt16LE(at);
    if (type === FILE_PASS) return stream.subarray(at + 4, end);
    if (type === SHEET) return null;
    at = end;
  }
  return null;
}

/** Null where the password is another one, or the way of encrypting is older. */
function keyFor(pass: Buffer): KeyOf | null {
  if (pass.length < 6 || pass.readUInt16LE(0) !== 1) return null;
  const isOld = pass.readUInt16LE(2) === CIPHER_OF_1997;
  return isOld ? oldKey(pass.subarray(6)) : newerKey(pass.subarray(6));
}

/** Of 1997: salt, verifier and its hash, sixteen bytes each. */
function oldKey(pass: Buffer): KeyOf | null {
  if (pass.length < 3 * HASH_BYTES) return null;
  const salt = pass.subarray(0, HASH_BYTES);
  const short = digest("md5", DEFAULT_PASSWORD).subarray(0, 5);
  const rounds = Array.from({ length: 16 }, () => [short, salt]).flat();
  const secret = digest("md5", ...rounds).subarray(0, 5);
  const keyOf: KeyOf = (block) => digest("md5", secret, numberOf(block));
  return opens(keyOf, "md5", pass.subarray(HASH_BYTES, 3 * HASH_BYTES)) ? keyOf : null;
}

/** Of 2002: a header with the length of the key, then salt, verifier and its hash with their lengths. */
function newerKey(pass: Buffer): KeyOf | null {
  if (pass.length < 8) return null;
  const header = pass.subarray(8, 8 + pass.readUInt32LE(4));
  const verifier = pass.subarray(8 + header.length);
  if (header.length < 20 || verifier.length < 60 || header.readUInt32LE(8) !== RC4) return null;
  const bits = header.readUInt32LE(16) || 40;
  if (bits < 40 || bits > 128 || bits % 8 !== 0) return null;
  const secret = digest("sha1", verifier.subarray(4, 20), DEFAULT_PASSWORD);
  const keyOf: KeyOf = (block) => {
    const key = digest("sha1", secret, numberOf(block)).subarray(0, bits / 8);
    // The shortest is filled up with zeros.
    return bits === 40 ? Buffer.concat([key, Buffer.alloc(11)]) : key;
  };
  const check = Buffer.concat([verifier.subarray(20, 36), verifier.subarray(40, 60)]);
  return opens(keyOf, "sha1", check) ? keyOf : null;
}

/** Whether the verifier, once decrypted, has the hash behind it. */
function opens(keyOf: KeyOf, hashName: string, check: Buffer): boolean {
  const open = Buffer.from(check);
  new RollingCipher(keyOf(0)).apply(open);
  return digest(hashName, open.subarray(0, HASH_BYTES)).equals(open.subarray(HASH_BYTES));
}

function numberOf(block: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(block);
  return bytes;
}

function digest(hashName: string, ...pieces: readonly Buffer[]): Buffer {
  const hash = createHash(hashName);
  for (const piece of pieces) hash.update(piece);
  return hash.digest();
}
