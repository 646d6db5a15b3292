import { createDecipheriv, createHash } from "node:crypto";
import { passwordNeeded } from "../password.ts";
import { DEFAULT_PASSWORD } from "../spreadsheet/default-password.ts";
import { guarded, loadLibrary } from "../xls/library.ts";
import { attribute, walkXml } from "../xml/walk.ts";

/** Rounds of hashing that a file may ask for; Excel asks for 100,000. */
const MAX_SPINS = 200_000;
const STANDARD_SPINS = 50_000;
const KEY_BITS: ReadonlySet<number> = new Set([128, 192, 256]);
/** Bytes that are encrypted together in the newer scheme. */
const SEGMENT_BYTES = 4096;
/** What a key is made for. */
const VERIFIER = Buffer.from("fea7d2763b4b9e79", "hex");
const VERIFIER_HASH = Buffer.from("d7aa0f6d3061344e", "hex");
const PACKAGE_KEY = Buffer.from("146e0be7abacd0d6", "hex");
const hashes: Readonly<Record<string, string>> = {
  SHA1: "sha1",
  "SHA-1": "sha1",
  SHA256: "sha256",
  SHA384: "sha384",
  SHA512: "sha512",
};

/** The package inside of an encrypted one that opens without a password. @throws ReadProblem needs_password for any other. */
export async function unlock(bytes: Uint8Array): Promise<Uint8Array> {
  const { CFB } = await loadLibrary();
  const container = guarded(() => CFB.read(Buffer.from(bytes), { type: "buffer" }));
  const stream = (name: string): Buffer =>
    guarded(() => {
      const entry = CFB.find(container, name);
      if (entry === null) throw passwordNeeded();
      return Buffer.from(entry.content);
    });
  const info = stream("/EncryptionInfo");
  const data = stream("/EncryptedPackage");
  if (info.length < 12 || data.length < 8) throw passwordNeeded();
  const isAgile = info.readUInt16LE(0) === 4 && info.readUInt16LE(2) === 4;
  try {
    const open = isAgile
      ? await agile(info.subarray(8).toString("utf8"), data.subarray(8))
      : standard(info, data.subarray(8));
    return open.subarray(0, Number(data.readBigUInt64LE(0)));
  } catch {
    // Another password, or another way of encrypting: to a person it is the same.
    throw passwordNeeded();
  }
}

/** @throws where the password is not the default one, or the figures are none. */
function standard(info: Buffer, data: Buffer): Buffer {
  const headerBytes = info.readUInt32LE(8);
  const keyBits = info.readUInt32LE(12 + 16);
  const verifier = info.subarray(12 + headerBytes);
  const salt = verifier.subarray(4, 20);
  let hash = spin("sha1", salt, STANDARD_SPINS);
  hash = digest("sha1", hash, Buffer.alloc(4));
  const block = Buffer.alloc(64, 0x36);
  for (const [at, byte] of hash.entries()) block[at] = 0x36 ^ byte;
  const key = digest("sha1", block).subarray(0, keyBits / 8);
  const open = (bytes: Buffer): Buffer => decrypt(`aes-${keyBits}-ecb`, key, null, bytes);
  const hashed = digest("sha1", open(verifier.subarray(20, 36)));
  if (!hashed.equals(open(verifier.subarray(40, 72)).subarray(0, hashed.length))) throw passwordNeeded();
  return open(data.subarray(0, data.length - (data.length % 16)));
}

async function agile(xml: string, data: Buffer): Promise<Buffer> {
  const found: Record<string, Readonly<Record<string, string>>> = {};
  await walkXml(xml, {
    open(name, attributes) {
      found[name] ??= attributes;
    },
  });
  const of = (element: string, name: string): string => attribute(found[element] ?? {}, name) ?? "";
  const bytesOf = (element: string, name: string): Buffer => Buffer.from(of(element, name), "base64");
  const spins = Number(of("encryptedKey", "spinCount"));
  const hashName = hashes[of("encryptedKey", "hashAlgorithm")];
  const keyBits = Number(of("encryptedKey", "keyBits"));
  if (hashName === undefined || !(spins <= MAX_SPINS) || !KEY_BITS.has(keyBits)) throw passwordNeeded();
  const salt = bytesOf("encryptedKey", "saltValue");
  const secret = spin(hashName, salt, spins);
  const open = (purpose: Buffer, bytes: Buffer): Buffer =>
    decrypt(
      `aes-${keyBits}-cbc`,
      sized(digest(hashName, secret, purpose), keyBits / 8),
      sized(salt, 16),
      bytes,
    );
  const verifier = open(VERIFIER, bytesOf("encryptedKey", "encryptedVerifierHashInput"));
  const expected = open(VERIFIER_HASH, bytesOf("encryptedKey", "encryptedVerifierHashValue"));
  const hashed = digest(hashName, verifier.subarray(0, salt.length));
  if (!hashed.equals(expected.subarray(0, hashed.length))) throw passwordNeeded();
  const key = open(PACKAGE_KEY, bytesOf("encryptedKey", "encryptedKeyValue")).subarray(0, keyBits / 8);
  return agileSegments(
    data,
    key,
    bytesOf("keyData", "saltValue"),
    hashes[of("keyData", "hashAlgorithm")] ?? "",
  );
}

function agileSegments(data: Buffer, key: Buffer, salt: Buffer, hashName: string): Buffer {
  const segments: Buffer[] = [];
  const index = Buffer.alloc(4);
  for (let at = 0; at + 16 <= data.length; at += SEGMENT_BYTES) {
    index.writeUInt32LE(at / SEGMENT_BYTES);
    const segment = data.subarray(at, Math.min(data.length, at + SEGMENT_BYTES));
    const whole = segment.subarray(0, segment.length - (segment.length % 16));
    segments.push(decrypt(`aes-${key.length * 8}-cbc`, key, sized(digest(hashName, salt, index), 16), whole));
  }
  return Buffer.concat(segments);
}

function spin(hashName: string, salt: Buffer, rounds: number): Buffer {
  let hash = digest(hashName, salt, DEFAULT_PASSWORD);
  const round = Buffer.alloc(4);
  for (let count = 0; count < rounds; count++) {
    round.writeUInt32LE(count);
    hash = digest(hashName, round, hash);
  }
  return hash;
}

function digest(hashName: string, ...pieces: readonly Buffer[]): Buffer {
  const hash = createHash(hashName);
  for (const piece of pieces) hash.update(piece);
  return hash.digest();
}

/** Cut, or filled up as the format asks for. */
function sized(bytes: Buffer, length: number): Buffer {
  return bytes.length >= length
    ? bytes.subarray(0, length)
    : Buffer.concat([bytes, Buffer.alloc(length - bytes.length, 0x36)]);
}

function decrypt(cipher: string, key: Buffer, start: Buffer | null, bytes: Buffer): Buffer {
  const decipher = createDecipheriv(cipher, key, start);
  decipher.setAutoPadding(false);
  return Buffer.concat([decipher.update(bytes), decipher.final()]);
}
