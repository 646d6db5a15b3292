import { mkdirSync, statSync, type Stats } from "node:fs";
import { dirname } from "node:path";
import { fitsSocketAddress, maxSocketPathBytes } from "../../config/socket-address.ts";

/** Named pipes have no folder, no modes and no such length. */
export const isNamedPipePlatform = process.platform === "win32";

/** A socket path that can't be used, or whose folder lets others in; the message says what to do. */
export class SocketPathError extends Error {
  override readonly name = "SocketPathError";
  readonly path: string;
  constructor(path: string, message: string) {
    super(message);
    this.path = path;
  }
}

/** Of folders such as /tmp, which nobody should be told to close. */
const STICKY = 0o1000;

/**
 * Throws SocketPathError when the path is longer than the system can bind or reach: it would be cut without a word, and two
 * daemons would meet at what is left.
 */
export function checkSocketPathLength(socketPath: string): void {
  if (fitsSocketAddress(socketPath, process.platform)) return;
  const bytes = Buffer.byteLength(socketPath);
  const most = maxSocketPathBytes(process.platform);
  throw new SocketPathError(
    socketPath,
    `The socket path has ${bytes} bytes and may have ${most} at most: ${socketPath}. ` +
      "Name a shorter one with KNOWD_SOCKET or --socket.",
  );
}

/** Throws SocketPathError unless the socket's folder is this user's alone; ENOENT goes through as it is. */
export function checkSocketFolder(socketPath: string): void {
  const folder = dirname(socketPath);
  const fault = faultOfFolder(folder, statSync(folder));
  if (fault !== null) throw new SocketPathError(socketPath, fault);
}

/** Makes the socket's folder for this user alone; throws SocketPathError when it is there and lets others in. */
export function prepareSocketFolder(socketPath: string): void {
  mkdirSync(dirname(socketPath), { recursive: true, mode: 0o700 });
  checkSocketFolder(socketPath);
}

function faultOfFolder(folder: string, stats: Stats): string | null {
  if (!stats.isDirectory()) return `The socket's folder is no folder: ${folder}.`;
  const uid = process.getuid?.();
  if (uid !== undefined && stats.uid !== uid)
    return (
      `The socket's folder belongs to another user (uid ${stats.uid}): ${folder}. ` +
      "Name a socket in a folder of your own with KNOWD_SOCKET or --socket."
    );
  const mode = stats.mode & 0o777;
  if ((stats.mode & STICKY) !== 0)
    return (
      `The socket's folder is shared by all users: ${folder}. ` +
      "Name a socket in a folder of your own with KNOWD_SOCKET or --socket."
    );
  if (mode !== 0o700)
    return (
      `The socket's folder has mode ${mode.toString(8).padStart(4, "0")} and must have 0700: ${folder}. ` +
      `Run: chmod 700 '${folder}', or name a socket in a private folder with KNOWD_SOCKET or --socket.`
    );
  return null;
}
