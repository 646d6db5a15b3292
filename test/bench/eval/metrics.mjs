// What a ranking is worth, as trec_eval counts it, and whether two rankings of the same queries differ by chance.

/** Places of a ranking that recall and the histogram look at. */
export const DEPTH = 100;

/**
 * `judged`: document → grade, above 0 for what answers. `ranked`: documents, best first. nDCG has linear gains and the
 * discount 1 / log2(rank + 1), over the ideal order of all that is judged.
 */
export function scoreQuery(judged, ranked) {
  const documents = [...new Set(ranked)].slice(0, DEPTH);
  const gains = documents.map((id) => Math.max(0, judged.get(id) ?? 0));
  const ideal = [...judged.values()].filter((grade) => grade > 0).sort((a, b) => b - a);
  const first = gains.findIndex((gain) => gain > 0);
  const rank = first < 0 ? null : first + 1;
  const recall = (depth) => gains.slice(0, depth).filter((gain) => gain > 0).length / ideal.length;
  return {
    ndcg10: gained(gains, 10) / gained(ideal, 10),
    recall10: recall(10),
    recall100: recall(DEPTH),
    mrr10: rank !== null && rank <= 10 ? 1 / rank : 0,
    success3: rank !== null && rank <= 3 ? 1 : 0,
    success10: rank !== null && rank <= 10 ? 1 : 0,
    empty: documents.length === 0 ? 1 : 0,
    rank,
  };
}

function gained(gains, depth) {
  return gains.slice(0, depth).reduce((sum, gain, at) => sum + gain / Math.log2(at + 2), 0);
}

/** Queries without anything that answers say nothing of a ranking. */
export function isJudged(judged) {
  return judged !== undefined && [...judged.values()].some((grade) => grade > 0);
}

/** Means of a list of query scores; the rank has none. */
export function meansOf(scores) {
  const names = Object.keys(scores[0] ?? {}).filter((name) => name !== "rank");
  return Object.fromEntries(names.map((name) => [name, mean(scores.map((score) => score[name]))]));
}

export function mean(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

const PERMUTATIONS = 10_000;
/** Sums of the same numbers in another order differ by rounding. */
const ROUNDING = 1e-12;

/**
 * Paired, two-sided randomisation test of `after` against `before`, one number a query: how often signs thrown at random
 * give a difference as large as the one that was seen.
 */
export function compareQueries(before, after, permutations = PERMUTATIONS) {
  const differences = after.map((value, at) => value - before[at]);
  const changed = differences.filter((difference) => difference !== 0);
  const seen = Math.abs(changed.reduce((sum, difference) => sum + difference, 0));
  const coin = coins();
  let asLarge = 0;
  for (let n = 0; n < permutations; n++) {
    let sum = 0;
    for (const difference of changed) sum += coin() ? difference : -difference;
    if (Math.abs(sum) >= seen - ROUNDING) asLarge++;
  }
  return {
    difference: mean(differences),
    better: changed.filter((difference) => difference > 0).length,
    worse: changed.filter((difference) => difference < 0).length,
    p: (asLarge + 1) / (permutations + 1),
  };
}

/** Heads and tails, the same ones each time: bits of a 32-bit xorshift generator. */
function coins() {
  let state = 0x9e3779b9;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 16) & 1;
  };
}
