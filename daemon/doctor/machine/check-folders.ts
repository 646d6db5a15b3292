import { accessSync, constants, rmSync, statSync, writeFileSync, type Stats } from "node:fs";
import path from "node:path";
import type { Check } from "../../../rpc/contract/doctor.ts";
import { byteAmount } from "../../../workers/byte-amount.ts";
import { checkSocketFolder, isNamedPipePlatform } from "../../../rpc/wire/socket-path.ts";
import { keptBytes, measureDisk } from "../../runtime/disk-space.ts";
import { note, ok, problem, reasonOf, shellWord } from "./findings.ts";
import { lstatOf, statOf } from "./stat-of.ts";

const OTHERS_WRITE = 0o022;
const OTHERS_READ = 0o055;
/** File systems keep times to two seconds at worst (FAT). */
const SKEW_MS = 5_000;

/** Owner, mode and room of the data folder, and whether a file can be written there. */
export function checkDataFolder(dataDir: string): Check[] {
  const id = "data-folder";
  const stats = statOf(dataDir);
  if (stats === null) return [checkPlaceFor(id, dataDir), checkDisk(existingParent(dataDir))];
  if (!stats.isDirectory())
    return [problem(id, `${dataDir} is no folder`, "knowd up --data-dir <another folder>")];
  const written = tryWriting(dataDir);
  // What can't be written to at all is not made better by another mode.
  const folder = written?.id === id ? written : checkOwner(id, dataDir, stats);
  const clock = written !== null && written.id !== id ? [written] : [];
  return [folder, ...clock, checkDisk(dataDir)];
}

function checkOwner(id: string, folder: string, stats: Stats): Check {
  const uid = process.getuid?.();
  const mode = (stats.mode & 0o777).toString(8).padStart(4, "0");
  const close = `chmod 700 ${shellWord(folder)}`;
  if (uid !== undefined && stats.uid !== uid) {
    const fix = `sudo chown -R "$(id -un)" ${shellWord(folder)}`;
    return problem(id, `${folder} belongs to another user (uid ${stats.uid})`, fix);
  }
  if (isNamedPipePlatform) return ok(id, folder);
  if ((stats.mode & OTHERS_WRITE) !== 0)
    return problem(id, `${folder} has mode ${mode}: other users can change what is in it`, close);
  if ((stats.mode & OTHERS_READ) !== 0)
    return note(id, `${folder} has mode ${mode}: other users can look into it`, close);
  return ok(id, `${folder} is yours alone and can be written to`);
}

/** Writes a file of its own and takes it away again. Null when that went well. */
function tryWriting(folder: string): Check | null {
  const probe = path.join(folder, `.doctor-${process.pid}`);
  try {
    writeFileSync(probe, "", { mode: 0o600 });
    const { mtimeMs } = statSync(probe);
    rmSync(probe);
    const skewMs = Math.abs(mtimeMs - Date.now());
    return skewMs <= SKEW_MS
      ? null
      : note(
          "clock",
          `the file system's clock is ${Math.round(skewMs / 1000)} s away from this machine's`,
          "sudo timedatectl set-ntp true",
        );
  } catch (error) {
    const fix = `chmod u+rwx ${shellWord(folder)}, or name another folder with --data-dir or KNOWD_DATA_DIR`;
    return problem("data-folder", `nothing can be written to ${folder}: ${reasonOf(error)}`, fix);
  }
}

function checkDisk(folder: string): Check {
  const { free, total } = measureDisk(folder);
  const kept = keptBytes(total);
  const found = `${byteAmount(free)} of ${byteAmount(total)} are free on the disk of ${folder}`;
  if (free < kept)
    return problem(
      "disk",
      `${found}: indexing waits until ${byteAmount(kept)} are`,
      `du -xh ${shellWord(folder)} | sort -h | tail -20`,
    );
  return free < 2 * kept ? note("disk", `${found}, little more than is kept free`, null) : ok("disk", found);
}

/** The folder of the socket must be this user's alone. */
export function checkRuntimeFolder(socketPath: string): Check[] {
  if (isNamedPipePlatform) return [];
  const id = "runtime-folder";
  const folder = path.dirname(socketPath);
  if (statOf(folder) === null) return [checkPlaceFor(id, folder)];
  try {
    checkSocketFolder(socketPath);
    return [ok(id, `${folder} is yours alone`), ...checkSocketFile(socketPath)];
  } catch (error) {
    const isOwn = statSync(folder).uid === process.getuid?.() && !isSticky(folder);
    const fix = isOwn
      ? `chmod 700 ${shellWord(folder)}`
      : "knowd up --socket <a path in a folder of your own>";
    return [problem(id, reasonOf(error), fix)];
  }
}

function isSticky(folder: string): boolean {
  return (statSync(folder).mode & 0o1000) !== 0;
}

function checkSocketFile(socketPath: string): Check[] {
  const stats = lstatOf(socketPath);
  if (stats === null) return [];
  const word = shellWord(socketPath);
  if (!stats.isSocket())
    return [
      problem("socket-file", `${socketPath} is no socket and in the way of one`, `mv ${word} ${word}.aside`),
    ];
  const mode = stats.mode & 0o777;
  return (mode & 0o077) === 0
    ? [ok("socket-file", `${socketPath} is yours alone`)]
    : [
        note(
          "socket-file",
          `${socketPath} has mode ${mode.toString(8).padStart(4, "0")}`,
          `chmod 600 ${word}`,
        ),
      ];
}

/** Of what is not there yet: whether it can be made. */
function checkPlaceFor(id: string, folder: string): Check {
  const parent = existingParent(folder);
  try {
    if (!statSync(parent).isDirectory()) throw new Error("it is no folder");
    accessSync(parent, constants.W_OK | constants.X_OK);
    return ok(id, `${folder} is not there yet: the first start makes it`);
  } catch (error) {
    const flag = id === "data-folder" ? "--data-dir" : "--socket";
    return problem(
      id,
      `${folder} is not there and can't be made in ${parent}: ${reasonOf(error)}`,
      `name another place with ${flag}`,
    );
  }
}

function existingParent(folder: string): string {
  const parent = path.dirname(folder);
  return parent === folder || statOf(parent) !== null ? parent : existingParent(parent);
}
