import { mkdirSync, renameSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { pino, type DestinationStream, type LevelWithSilent, type Logger } from "pino";

export type Log = Logger;

export interface LogOptions {
  readonly level: LevelWithSilent;
  /** Where the lines go; stderr when left out. A file larger than `maxBytes` is put aside at open; one old file is kept. */
  readonly destination?:
    | { readonly path: string; readonly maxBytes?: number }
    | DestinationStream
    | undefined;
}

const DEFAULT_MAX_BYTES = 5 * 1024 * 1024;
const STDERR = 2;

/**
 * One JSON object a line. Written synchronously, so that the last words before a crash are kept; the level is a word, so
 * that journalctl and jq can filter without a table. Throws when the file can't be opened.
 */
export function openLog({ level, destination }: LogOptions): Log {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    openDestination(destination),
  );
}

function openDestination(destination: LogOptions["destination"]): DestinationStream {
  if (destination === undefined) return pino.destination({ dest: STDERR, sync: true });
  if (!("path" in destination)) return destination;
  const { path, maxBytes = DEFAULT_MAX_BYTES } = destination;
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  rotate(path, maxBytes);
  // The log names the user's files: nobody else may read it.
  return pino.destination({ dest: path, sync: true, mode: 0o600 });
}

/** `<path>.1` is the log before; anything older is gone. */
function rotate(path: string, maxBytes: number): void {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size > maxBytes) renameSync(path, `${path}.1`);
}
