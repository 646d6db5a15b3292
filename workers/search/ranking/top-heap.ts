/** The k best rows seen so far, the least of them on top. Only scores above zero are of interest. */
export interface TopHeap {
  /** What a row must beat to get in. */
  least(): number;
  /** For a score above least() alone. */
  push(row: number, score: number): void;
  /** Best first; equal scores in the order of their rows. */
  sorted(): { row: number; score: number }[];
}

export function createTopHeap(k: number): TopHeap {
  const rows: number[] = [];
  const scores: number[] = [];

  function swap(a: number, b: number): void {
    [rows[a], rows[b]] = [rows[b]!, rows[a]!];
    [scores[a], scores[b]] = [scores[b]!, scores[a]!];
  }

  function sink(): void {
    for (let at = 0; ;) {
      let least = at;
      for (const child of [2 * at + 1, 2 * at + 2]) {
        if (child < scores.length && scores[child]! < scores[least]!) least = child;
      }
      if (least === at) return;
      swap(at, least);
      at = least;
    }
  }

  function rise(): void {
    for (let at = scores.length - 1; at > 0;) {
      const parent = (at - 1) >> 1;
      if (scores[parent]! <= scores[at]!) return;
      swap(at, parent);
      at = parent;
    }
  }

  return {
    least: () => (scores.length < k ? 0 : scores[0]!),
    push(row, score) {
      if (scores.length === k) {
        rows[0] = row;
        scores[0] = score;
        sink();
      } else {
        rows.push(row);
        scores.push(score);
        rise();
      }
    },
    sorted: () =>
      rows.map((row, at) => ({ row, score: scores[at]! })).sort((a, b) => b.score - a.score || a.row - b.row),
  };
}
