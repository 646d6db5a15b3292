import type { Correction } from "../../rpc/contract/search.ts";
import type { Correction as BaseCorrection } from "../../workers/search/contract.ts";

/** What one base read a word as joins what others did: by word, whatever case, each use named once. */
export function addCorrections(
  corrections: Correction[],
  baseId: string,
  added: readonly BaseCorrection[],
): void {
  for (const { term, used } of added) {
    const same = corrections.find((known) => known.term.toLowerCase() === term.toLowerCase());
    if (!same) {
      corrections.push({ term, used: [...used], baseIds: [baseId] });
      continue;
    }
    same.used.push(...used.filter((word) => !same.used.includes(word)));
    if (!same.baseIds.includes(baseId)) same.baseIds.push(baseId);
  }
}
