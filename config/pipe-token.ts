import { randomBytes } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";

const TOKEN_BYTES = 32;
const FILE = "socket.token";

/**
 * On Windows any user may open a named pipe: a client proves that it may read the data folder by showing what this file
 * holds. The daemon makes it anew at each start. Undefined on platforms where the socket's folder decides.
 */
export function writePipeToken(dataDir: string, platform: NodeJS.Platform): string | undefined {
  if (platform !== "win32") return undefined;
  const token = randomBytes(TOKEN_BYTES).toString("hex");
  writeFileSync(path.join(dataDir, FILE), token, { mode: 0o600 });
  return token;
}

/** What the running daemon wrote; undefined where there is no such file or none is needed. */
export function readPipeToken(dataDir: string, platform: NodeJS.Platform): string | undefined {
  if (platform !== "win32") return undefined;
  try {
    return readFileSync(path.join(dataDir, FILE), "utf8").trim();
  } catch {
    // No daemon has run on this folder: connecting will say so.
    return undefined;
  }
}
