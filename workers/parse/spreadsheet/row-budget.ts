/** Counts the cells of each row over all sheets, to find how many rows of every sheet may be read. */
export interface RowBudget {
  /** `row` is 0-based. */
  count(row: number, cells?: number): void;
  /** Rows of every sheet that hold no more cells than may be read; null when that is all of them. */
  rowLimit(): number | null;
}

export function createRowBudget(maxRows: number, maxCells: number): RowBudget {
  const cellsOfRow = new Uint32Array(maxRows);
  let total = 0;
  return {
    count(row, cells = 1) {
      if (row >= maxRows) return;
      cellsOfRow[row] = (cellsOfRow[row] ?? 0) + cells;
      total += cells;
    },
    rowLimit() {
      if (total <= maxCells) return null;
      let sum = 0;
      for (let row = 0; row < maxRows; row++) {
        sum += cellsOfRow[row] ?? 0;
        if (sum > maxCells) return Math.max(1, row);
      }
      return null;
    },
  };
}
