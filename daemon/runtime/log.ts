import { mkdirSync, renameSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { pino, type DestinationStream, type LevelWithSilent, type Logger } from "pino";

export type Log = Logger;

export interface LogOptions {
  readonly level: LevelWithSilent;
  /** Where the lines go; stderr when left out. A file that has grown over `maxBytes` is put aside; one old file is kept. */
  readonly destination?:
    | { readonly path: string; readonly maxBytes?: number }
    | DestinationStream
    | undefined;
}

const DEFAULT_MAX_BYTES = 5 * 1024 * 1024;
/** What waits for a disk that takes nothing; lines beyond it are dropped. */
const MAX_WAITING_CHARS = 1024 * 1024;
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
  if (destination === undefined) return forgiving(STDERR);
  if (!("path" in destination)) return destination;
  return openFile(destination.path, destination.maxBytes ?? DEFAULT_MAX_BYTES);
}

/** `<path>.1` is the log before; anything older is gone. */
function openFile(path: string, maxBytes: number): DestinationStream {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  let bytes = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  const putAside = () => {
    renameSync(path, `${path}.1`);
    bytes = 0;
  };
  if (bytes > maxBytes) putAside();
  // The log names the user's files: nobody else may read it.
  const stream = forgiving(path, 0o600);
  return {
    write(line) {
      stream.write(line);
      bytes += Buffer.byteLength(line);
      if (bytes <= maxBytes) return;
      try {
        putAside();
        stream.reopen();
      } catch {
        // The lines go on into the file that is open; it is tried again after as many.
        bytes = 0;
      }
    },
  };
}

/** A full or failing disk costs lines, never the caller: what can't be written waits, up to a bound, for the next line. */
function forgiving(dest: string | number, mode?: number) {
  const stream = pino.destination({
    dest,
    sync: true,
    maxLength: MAX_WAITING_CHARS,
    ...(mode !== undefined && { mode }),
  });
  stream.on("error", () => undefined);
  return stream;
}
