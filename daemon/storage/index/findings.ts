import type { CheckReport } from "./contract.ts";

/** Collects what a check finds, by kind, with the first example of each. */
export interface Findings {
  add(kind: string, example?: string, count?: number): void;
  has(kind: string): boolean;
  report(counts: { units: number; vectors: number }): CheckReport;
}

export function createFindings(): Findings {
  const byKind = new Map<string, { kind: string; count: number; example?: string }>();
  return {
    add(kind, example, count = 1) {
      const known = byKind.get(kind);
      if (known) known.count += count;
      else byKind.set(kind, { kind, count, ...(example !== undefined && { example }) });
    },
    has: (kind) => byKind.has(kind),
    report(counts) {
      const problems = [...byKind.values()];
      return { ok: problems.length === 0, problems, ...counts };
    },
  };
}
