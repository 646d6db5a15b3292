import { createHash } from "node:crypto";
import { realpathSync } from "node:fs";
import type { PlatformFolders, SystemEnvironment } from "./platform-folders.ts";
import { pathsOf } from "./platform-folders.ts";
import { fitsSocketAddress } from "./socket-address.ts";

const HASH_CHARACTERS = 12;

/**
 * Where the daemon of a data folder listens. The default folder has a name that a person can type; any other has its hash in
 * the name, so that two daemons never meet. A path that would be too long goes to a short folder of the user's own.
 */
export function defaultSocketPath(
  system: SystemEnvironment,
  folders: PlatformFolders,
  dataDir: string,
): string {
  const { platform, uid } = system;
  const identity = canonical(dataDir, platform);
  const isDefault = identity === canonical(folders.data, platform);
  if (platform === "win32") return `\\\\.\\pipe\\knowd-${hash(system.homeDir, identity)}`;
  const paths = pathsOf(platform);
  const folder = folders.runtime ?? paths.join(folders.state, "run");
  const path = paths.join(folder, isDefault ? "knowd.sock" : `${hash(identity)}.sock`);
  if (fitsSocketAddress(path, platform)) return path;
  return `/tmp/knowd-${uid ?? hash(system.homeDir)}/${hash(folder, identity)}.sock`;
}

function hash(...parts: string[]): string {
  return createHash("sha256").update(parts.join("\0")).digest("hex").slice(0, HASH_CHARACTERS);
}

/** Symbolic links followed as far as the path exists, so that two names of one folder get one socket. */
function canonical(path: string, platform: NodeJS.Platform): string {
  const paths = pathsOf(platform);
  if (platform !== process.platform) return path;
  try {
    return realpathSync.native(path);
  } catch {
    // Not there yet: its parent decides.
    const parent = paths.dirname(path);
    return parent === path ? path : paths.join(canonical(parent, platform), paths.basename(path));
  }
}
