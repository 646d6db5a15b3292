import { type BigIntStats, chmodSync, lstatSync, renameSync, rmSync } from "node:fs";
import { connect, type Server } from "node:net";
import { basename, dirname, join } from "node:path";
import {
  checkSocketPathLength,
  isNamedPipePlatform,
  prepareSocketFolder,
  SocketPathError,
} from "./socket-path.ts";

/** Somebody answers at the socket's path. */
export class SocketInUseError extends Error {
  override readonly name = "SocketInUseError";
  readonly path: string;
  constructor(path: string) {
    super(`Another process answers at ${path}.`);
    this.path = path;
  }
}

/** A process that takes longer than this to accept is alive all the same. */
const PROBE_MS = 1_000;

/**
 * Listens at the path, taking it over from a process that died. The caller holds the data folder's lock, so that no
 * other starter does the same. Resolves to the function that removes the socket file, unless it is another's by then.
 */
export async function listenAt(server: Server, socketPath: string): Promise<() => void> {
  if (isNamedPipePlatform) {
    await listen(server, socketPath);
    return () => undefined;
  }
  checkSocketPathLength(socketPath);
  prepareSocketFolder(socketPath);
  await assertNobodyAnswers(socketPath);
  // A server removes the path it was bound to when it closes, whoever owns that path by then. So it is bound beside
  // the real path and moved there, which also replaces a dead socket in one step.
  const birthPath = besidePath(socketPath);
  if (isSocketFile(birthPath)) rmSync(birthPath, { force: true });
  await listen(server, birthPath);
  try {
    chmodSync(birthPath, 0o600);
    const own = lstatSync(birthPath, { bigint: true });
    renameSync(birthPath, socketPath);
    return () => removeOwn(socketPath, own);
  } catch (error) {
    server.close();
    throw error;
  }
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ path, exclusive: true }, () => {
      server.off("error", reject);
      resolve();
    });
  });
}

/** A path in the same folder that is no longer than the real one. */
function besidePath(socketPath: string): string {
  const name = basename(socketPath).replace(/.$/su, (last) => (last === "~" ? "_" : "~"));
  return join(dirname(socketPath), name);
}

async function assertNobodyAnswers(socketPath: string): Promise<void> {
  if (!isSocketFile(socketPath)) return;
  if (await answers(socketPath)) throw new SocketInUseError(socketPath);
}

/** Throws SocketPathError when something else than a socket is in the way: it is not ours to remove. */
function isSocketFile(path: string): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return false;
  if (!stats.isSocket())
    throw new SocketPathError(path, `Something that is no socket is in the way: ${path}.`);
  return true;
}

function answers(socketPath: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ path: socketPath });
    const settle = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(PROBE_MS, () => settle(true));
    socket.once("connect", () => settle(true));
    // Only these two say that nobody listens; a full queue, for one, says that somebody does.
    socket.once("error", (error: NodeJS.ErrnoException) =>
      settle(error.code !== "ECONNREFUSED" && error.code !== "ENOENT"),
    );
  });
}

function removeOwn(path: string, own: BigIntStats): void {
  const now = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  if (now !== undefined && now.ino === own.ino && now.dev === own.dev) rmSync(path, { force: true });
}
