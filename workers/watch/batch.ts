import type { ChangeOrigin, FileChange, WatchMessage } from "./contract.ts";

/** Findings of one source on their way into messages, in order. */
export interface Batch {
  changed(origin: ChangeOrigin, file: FileChange): void;
  gone(origin: ChangeOrigin, path: string): void;
  excluded(path: string): void;
  /** True when a whole message waits to be sent. */
  isFull(): boolean;
  /** Sends whole messages; with `all`, what is begun too. */
  send(all: boolean): Promise<void>;
}

export const MAX_FILES_PER_MESSAGE = 500;

interface OpenFiles {
  readonly type: "changed";
  readonly origin: ChangeOrigin;
  readonly files: FileChange[];
}
interface OpenPaths {
  readonly type: "gone" | "excluded";
  readonly origin: ChangeOrigin;
  readonly paths: string[];
}
type Open = OpenFiles | OpenPaths;

export function createBatch(sourceId: string, post: (message: WatchMessage) => Promise<void>): Batch {
  const whole: WatchMessage[] = [];
  let open: Open | null = null;

  const close = (): void => {
    if (open) whole.push(messageOf(sourceId, open));
    open = null;
  };

  const addPath = (type: "gone" | "excluded", origin: ChangeOrigin, path: string): void => {
    let to = open;
    if (to === null || to.type !== type || to.origin !== origin) {
      close();
      to = open = { type, origin, paths: [] };
    }
    to.paths.push(path);
    if (to.paths.length >= MAX_FILES_PER_MESSAGE) close();
  };

  return {
    changed(origin, file) {
      let to = open;
      if (to?.type !== "changed" || to.origin !== origin) {
        close();
        to = open = { type: "changed", origin, files: [] };
      }
      to.files.push(file);
      if (to.files.length >= MAX_FILES_PER_MESSAGE) close();
    },
    gone: (origin, path) => addPath("gone", origin, path),
    excluded: (path) => addPath("excluded", "event", path),
    isFull: () => whole.length > 0,
    async send(all) {
      if (all) close();
      for (let message = whole.shift(); message; message = whole.shift()) await post(message);
    },
  };
}

function messageOf(sourceId: string, open: Open): WatchMessage {
  if (open.type === "changed") return { type: "changed", sourceId, origin: open.origin, files: open.files };
  if (open.type === "gone") return { type: "gone", sourceId, origin: open.origin, paths: open.paths };
  return { type: "excluded", sourceId, paths: open.paths };
}
