import { confirmGone } from "./absence.ts";
import { compareDirectory } from "./compare.ts";
import type { WatchMessage } from "./contract.ts";
import { createPass, type Follow, type Visit } from "./follow.ts";
import { remoteMountKind } from "./mount-kind.ts";
import { watchAhead } from "./watching.ts";

/** A complete comparison of one root, directory by directory, so that live changes can go in between. */
export interface Scan {
  /** Numbers of the requests that it answers; empty for one of the watcher's own. */
  readonly requests: readonly number[];
  /** Files that were found gone while it went on. */
  addGone(count: number): void;
  /** Compares one directory; false when none is left. */
  step(): Promise<boolean>;
  /** Concludes what is gone, then says `scanned` to each request. `vouch` throws when the root is not well. */
  finish(vouch: () => void): Promise<void>;
}

export interface ScanDeps {
  readonly follow: Follow;
  readonly requests: readonly number[];
  readonly goneConfirmMs: number;
  readonly post: (message: WatchMessage) => Promise<void>;
}

export function createScan({ follow, requests, goneConfirmMs, post }: ScanDeps): Scan {
  const started = performance.now();
  const pass = createPass("scan");
  const waiting: Visit[] = [{ directory: follow.tree.root, deep: true }];
  follow.exhausted = null;
  follow.unwatchable = null;
  follow.remote ??= remoteMountKind(follow.base);

  return {
    requests,
    addGone(count) {
      pass.gone += count;
    },
    async step() {
      const visit = waiting.pop();
      if (!visit) return false;
      watchAhead(follow, waiting);
      waiting.push(...(await compareDirectory(follow, visit, null, pass)));
      return true;
    },
    async finish(vouch) {
      if (follow.vanishing.size() > 0) {
        // A file may have been missing for the moment of a save.
        await new Promise((resolve) => setTimeout(resolve, goneConfirmMs));
        pass.gone += confirmGone(follow, follow.vanishing.take(Number.POSITIVE_INFINITY), vouch);
      } else vouch();
      follow.special = pass.special;
      await follow.batch.send(true);
      const tookMs = Math.round(performance.now() - started);
      for (const request of requests.length > 0 ? requests : [null]) {
        await post({
          type: "scanned",
          sourceId: follow.sourceId,
          request,
          files: follow.tree.fileCount(),
          changed: pass.changed,
          gone: pass.gone,
          tookMs,
          complete: pass.complete,
          unreadable: [...pass.unreadable],
        });
      }
    },
  };
}
