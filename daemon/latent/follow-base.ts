import type { PackedTexts } from "../../workers/latent/packed-texts.ts";
import { TERMS_VERSION } from "../../workers/latent/terms.ts";
import type { WorkerTasks } from "../../workers/contract.ts";
import type { SearchTasks } from "../../workers/search/contract.ts";
import type { Host } from "../runtime/host.ts";
import type { IndexRegistry, LatentHead, LatentState } from "../storage/index/contract.ts";

export interface FollowDeps {
  readonly registry: Pick<IndexRegistry, "indexPath" | "latent">;
  readonly searchHost: Pick<Host<SearchTasks>, "run">;
  readonly workerHost: Pick<Host<WorkerTasks>, "run">;
}

/** Fewer chunks tell too little of which words keep company. */
const LEAST_UNITS = 200;
/** A basis is fitted again when the base has this many times the chunks. */
const REFIT_GROWTH = 2;
/** What a basis is fitted on: so many chunks spread over the base, the beginning of each, and bytes in all. */
const SAMPLE = { units: 8_000, characters: 2_000, bytes: 16 << 20 };
/** A page takes a thread about 0.1 s, so that indexing gets its turn between two. */
const PAGE = { limit: 200, maxCharacters: 10_000 };
const DEADLINE_MS = { texts: 20_000, fold: 60_000, fit: 180_000 };

/**
 * Gives a base the latent vectors that it should have: fits a basis where there is none, or an outgrown one, makes the
 * vectors that are missing and swaps when the new ones are complete. Goes on where a stop or a crash has left it. Answers
 * the basis that is current in the end. `unfit` remembers at how many chunks no basis could be made.
 * Throws HostFailure, KnowdError and the signal's reason.
 */
export async function followBase(
  deps: FollowDeps,
  baseId: string,
  unfit: Map<string, number>,
  signal?: AbortSignal,
): Promise<LatentHead | null> {
  const base = openFollowed(deps, baseId, signal);
  const { latent } = deps.registry;
  let state = await latent.state(baseId);
  if (state.leftovers) await latent.sweep(baseId);
  if (needsBasis(state, unfit.get(baseId))) {
    const fitted = await base.fit(state);
    if (fitted) unfit.delete(baseId);
    else unfit.set(baseId, state.units);
    state = await latent.state(baseId);
  }
  const { filling } = state;
  if (filling && isUsable(filling) && (await base.fold(filling))) {
    // What came in between the last page and now is folded first.
    while (!(await latent.swap(baseId, filling.version))) if (!(await base.fold(filling))) break;
    await latent.sweep(baseId);
    state = await latent.state(baseId);
  }
  const { current } = state;
  if (!current || !isUsable(current)) return null;
  if (current.foldedTo < state.newest) await base.fold(current);
  return current;
}

function isUsable({ termsVersion }: LatentHead): boolean {
  return termsVersion === TERMS_VERSION;
}

function needsBasis({ current, filling, units }: LatentState, unfitAt = 0): boolean {
  if (units < Math.max(LEAST_UNITS, REFIT_GROWTH * unfitAt)) return false;
  const newest = [filling, current].find((head) => head !== null && isUsable(head));
  return !newest || units >= REFIT_GROWTH * newest.fittedUnits;
}

function openFollowed(
  { registry, searchHost, workerHost }: FollowDeps,
  baseId: string,
  signal?: AbortSignal,
) {
  const { latent } = registry;

  const texts = (input: { after: number; step: number; limit: number; maxCharacters: number }) => {
    const target = { baseId, indexPath: registry.indexPath(baseId) };
    return searchHost.run("index.texts", { ...target, ...input }, { deadlineMs: DEADLINE_MS.texts, signal });
  };

  /** A thread that has not folded with this basis before is asked again with it. */
  const foldPage = async (
    { version, fingerprint }: LatentHead,
    page: PackedTexts,
  ): Promise<Int8Array | null> => {
    const ask = async (basis: Uint8Array | null) => {
      const options = { deadlineMs: DEADLINE_MS.fold, signal };
      const { vectors } = await workerHost.run("latent.fold", { key: fingerprint, basis, page }, options);
      return vectors;
    };
    const vectors = await ask(null);
    if (vectors) return vectors;
    const basis = await latent.basis(baseId, version);
    return basis && (await ask(basis));
  };

  return {
    /** Answers whether there is a basis to fold with. */
    async fit({ oldest, newest, units }: LatentState): Promise<boolean> {
      const step = Math.max(1, Math.ceil((newest - oldest + 1) / SAMPLE.units));
      const pages: PackedTexts[] = [];
      let bytes = 0;
      for (let after: number | null = oldest - 1; after !== null && bytes < SAMPLE.bytes;) {
        const sample = await texts({ after, step, limit: PAGE.limit, maxCharacters: SAMPLE.characters });
        pages.push(sample.page);
        bytes += sample.page.bytes.length;
        after = sample.next;
      }
      const { basis } = await workerHost.run(
        "latent.fit",
        { pages },
        { deadlineMs: DEADLINE_MS.fit, signal },
      );
      if (!basis) return false;
      await latent.begin(baseId, { ...basis, termsVersion: TERMS_VERSION, fittedUnits: units });
      return true;
    },

    /** Makes the vectors that are missing; false when the basis is gone. */
    async fold(head: LatentHead): Promise<boolean> {
      const { version } = head;
      for (let after: number | null = head.foldedTo; after !== null;) {
        const { numbers, page, next, newest } = await texts({ after, step: 1, ...PAGE });
        const vectors = numbers.length > 0 ? await foldPage(head, page) : new Int8Array();
        const foldedTo = next === null ? newest : (numbers.at(-1) ?? after);
        if (!vectors || !(await latent.add(baseId, version, { numbers, vectors, foldedTo }))) return false;
        after = next;
      }
      return true;
    },
  };
}
