import type { Base } from "../../rpc/contract/bases.ts";
import type { Source } from "../../rpc/contract/sources.ts";
import type { SearchDeps } from "./search-deps.ts";

type Catalog = SearchDeps["catalog"];

/**
 * What each search asks the catalogue of its bases, their sources and models: kept while nothing is written to it. Between two
 * searches SQLite's own pages have left the processor's caches, so that each statement costs several times what it does in
 * a loop.
 */
export function keepBases(catalog: Catalog): Catalog {
  const { bases, sources, baseModels, changes } = catalog;
  const known = new Map<string, Base>();
  const fingerprints = new Map<string, string | null>();
  let all: Source[] | null = null;
  let written = -1;

  function forgetOld(): void {
    const now = changes.written();
    if (now === written) return;
    written = now;
    known.clear();
    fingerprints.clear();
    all = null;
  }

  return {
    ...catalog,
    bases: {
      all: () => bases.all(),
      require(id) {
        forgetOld();
        const base = known.get(id) ?? bases.require(id);
        known.set(id, base);
        return base;
      },
    },
    sources: {
      all() {
        forgetOld();
        return (all ??= sources.all());
      },
    },
    baseModels: {
      fingerprint(baseId) {
        forgetOld();
        const kept = fingerprints.get(baseId);
        if (kept !== undefined) return kept;
        const found = baseModels.fingerprint(baseId);
        fingerprints.set(baseId, found);
        return found;
      },
    },
  };
}
