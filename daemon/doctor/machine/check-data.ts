import path from "node:path";
import type { Check } from "../../../rpc/contract/doctor.ts";
import { byteAmount } from "../../../workers/byte-amount.ts";
import { amountOf, note, ok } from "./findings.ts";
import { namesIn, statOf } from "./stat-of.ts";

/** The WAL is cut back to 64 MiB after a large transaction; four times that was not cut back for a while. */
const LARGE_WAL_BYTES = 256 * 1024 * 1024;
const AHEAD_MS = 60_000;

interface Database {
  readonly path: string;
  readonly walBytes: number;
}

/** Sizes of the write-ahead logs. Only names and sizes are looked at: the files may be in use. */
export function checkLogs(dataDir: string): Check {
  const databases = databasesOf(dataDir);
  const all = databases.reduce((sum, one) => sum + one.walBytes, 0);
  const large = databases.filter((one) => one.walBytes > LARGE_WAL_BYTES);
  const found = `${amountOf(databases.length, "database")}, their logs hold ${byteAmount(all)}`;
  if (large.length === 0) return ok("wal", found);
  const names = large.map((one) => `${one.path}-wal has ${byteAmount(one.walBytes)}`).join("; ");
  return note("wal", `${found}: ${names}`, "knowd stop && knowd up");
}

function databasesOf(dataDir: string): Database[] {
  const own = ["catalog.sqlite", "vectors.sqlite"].map((name) => path.join(dataDir, name));
  const bases = namesIn(path.join(dataDir, "KnowledgeBase")).map((id) =>
    path.join(dataDir, "KnowledgeBase", id, ".cherry", "index.sqlite"),
  );
  return [...own, ...bases].flatMap((file) => {
    const walBytes = statOf(`${file}-wal`)?.size;
    const isThere = walBytes !== undefined || statOf(file) !== null;
    return isThere ? [{ path: file, walBytes: walBytes ?? 0 }] : [];
  });
}

/** What was written here before can't be later than now. */
export function checkClock(dataDir: string, now = Date.now()): Check {
  const written = statOf(path.join(dataDir, "catalog.sqlite"))?.mtimeMs ?? 0;
  if (written <= now + AHEAD_MS) return ok("clock", new Date(now).toISOString());
  return note(
    "clock",
    `the clock was put back, or is wrong: the catalogue was written on ${new Date(written).toISOString()}`,
    "sudo timedatectl set-ntp true",
  );
}
