// The same searches without daemon, files and socket: for trying designs, in a quarter of the time.
import { buildBase, documentsOf } from "../../support/search-base.mjs";

/** `alpha`: weight of the vector lane in hybrid search. */
export function openInProcessEngine({ alpha, progress }) {
  return {
    name: "in-process",
    async build(collection) {
      progress(`${collection.name}: indexing`);
      const base = await buildBase(collection.documents);
      const { units } = base.counts;
      return {
        counts: { documents: collection.documents.length, failed: 0, chunks: units },
        async rank(mode, query, depth) {
          const options = {
            hybrid: mode !== "bm25",
            alpha,
            candidates: depth,
            perDocument: true,
            shown: depth,
          };
          const { candidates } = await base.search(query, options);
          if (mode !== "vector") return documentsOf(candidates);
          const named = candidates.filter(({ vectorRank }) => vectorRank !== null);
          return documentsOf(named.sort((a, b) => a.vectorRank - b.vectorRank));
        },
        close: () => base.close(),
      };
    },
    close: async () => {},
  };
}
