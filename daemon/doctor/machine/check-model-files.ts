import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import path from "node:path";
import type { Check } from "../../../rpc/contract/doctor.ts";
import { reinstall } from "./check-runtime.ts";
import { ok, problem, reasonOf } from "./findings.ts";

/** sha256 of the files that come with knowd. */
const CHECKSUMS: Readonly<Record<string, string>> = {
  "static-en-128.bin": "13e30b4d8591ef720134ba290500703526e1d6a8f4f30a9873bdb7df26007788",
  "static-en-128.vocab.json": "87ec1450250aedfa776432f3f38b6346a7d8bd990d4ebb03684f338688a3e6ac",
  "related-words.bin": "ceca9684c659e23deccb7f1ae76405a164f299cc4b9a129067fb22a3eccbd4a6",
};

/** Whether the embedded model's files are the ones that knowd was shipped with, byte for byte. Read in small parts. */
export async function checkModelFiles(files: readonly string[], packageRoot: string): Promise<Check> {
  const faults: string[] = [];
  for (const file of files) {
    const name = path.basename(file);
    try {
      if ((await sha256Of(file)) !== CHECKSUMS[name]) faults.push(`${name} is not the file that was shipped`);
    } catch (error) {
      faults.push(`${name} can't be read (${reasonOf(error)})`);
    }
  }
  return faults.length === 0
    ? ok("model-files", `the embedded model's ${files.length} files are whole`)
    : problem("model-files", faults.join("; "), reinstall(packageRoot));
}

async function sha256Of(file: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const part of createReadStream(file)) hash.update(part as Buffer);
  return hash.digest("hex");
}
