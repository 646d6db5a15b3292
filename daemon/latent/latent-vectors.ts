import { toKnowdError } from "../runtime/errors.ts";
import type { Log } from "../runtime/log.ts";
import type { Catalog } from "../storage/catalog/contract.ts";
import type { EmbeddingModels } from "../embedding/provider.ts";
import { followBase, type FollowDeps } from "./follow-base.ts";

export interface LatentVectors {
  stop(): Promise<void>;
}

export interface LatentVectorsDeps extends FollowDeps {
  readonly catalog: {
    readonly bases: Pick<Catalog["bases"], "all">;
    readonly jobs: Pick<Catalog["jobs"], "active">;
    readonly changes: Pick<Catalog["changes"], "subscribe">;
  };
  readonly models: Pick<EmbeddingModels, "get">;
  readonly log: Pick<Log, "warn">;
}

/** After a change, work waits this long for more of them, and then for indexing to end, but not for ever. */
const QUIET_MS = 500;
const PATIENCE_MS = 10 * 60_000;
/** What failed is tried again. */
const RETRY_MS = 60_000;

/** Keeps the latent vectors of all bases with a weak model (convex fusion) in step with their chunks, behind indexing. */
export function startLatentVectors(deps: LatentVectorsDeps, quietMs = QUIET_MS): LatentVectors {
  const { catalog } = deps;
  const stopping = new AbortController();
  const { signal } = stopping;
  const unfit = new Map<string, number>();
  const bell = createBell(signal);
  const unsubscribe = catalog.changes.subscribe(() => bell.ring());

  const untilIdle = async (): Promise<void> => {
    const until = performance.now() + PATIENCE_MS;
    do await bell.sleep(quietMs);
    while (!signal.aborted && catalog.jobs.active() > 0 && performance.now() < until);
  };

  const loop = async (): Promise<void> => {
    bell.ring();
    while (!signal.aborted) {
      await bell.rung();
      await untilIdle();
      bell.silence();
      if (signal.aborted || (await followAll(deps, unfit, signal))) continue;
      await bell.rung(RETRY_MS);
      bell.ring();
    }
  };
  const looping = loop();

  return {
    async stop() {
      unsubscribe();
      stopping.abort();
      await looping;
    },
  };
}

/** Answers whether all went well. */
async function followAll(
  deps: LatentVectorsDeps,
  unfit: Map<string, number>,
  signal: AbortSignal,
): Promise<boolean> {
  const { catalog, models, log } = deps;
  let well = true;
  for (const base of catalog.bases.all()) {
    const model = base.embeddingModelId === null ? undefined : models.get(base.embeddingModelId);
    if (base.status !== "completed" || model?.fusion.kind !== "convex") continue;
    if (signal.aborted) break;
    try {
      await followBase(deps, base.id, unfit, signal);
    } catch (error) {
      if (signal.aborted) break;
      well = false;
      const { message } = toKnowdError(error);
      log.warn({ baseId: base.id, error: message }, "latent vectors could not be made; it is tried again");
    }
  }
  return well;
}

/** Something that others ring and one waits for; a stop ends every wait. */
function createBell(signal: AbortSignal) {
  let ringing = false;
  let wake = (): void => undefined;

  const wait = (ms: number | null, onRing: boolean): Promise<void> =>
    new Promise((resolve) => {
      const done = (): void => {
        if (timer) clearTimeout(timer);
        signal.removeEventListener("abort", done);
        wake = () => undefined;
        resolve();
      };
      const timer = ms === null ? null : setTimeout(done, ms);
      signal.addEventListener("abort", done, { once: true });
      if (onRing) wake = done;
      if (signal.aborted || (onRing && ringing)) done();
    });

  return {
    ring() {
      ringing = true;
      wake();
    },
    silence() {
      ringing = false;
    },
    /** Resolves when it rings, or after so long. */
    rung: (ms: number | null = null) => wait(ms, true),
    sleep: (ms: number) => wait(ms, false),
  };
}
