import { distance } from "fastest-levenshtein";

/** Longer names are cut before they are compared: they come from outside. */
const MAX_CHARS = 64;

/** The candidate that was probably meant, or null when none is close. Letter case and a missing section weigh little. */
export function nearest(name: string, candidates: Iterable<string>): string | null {
  const given = name.slice(0, MAX_CHARS).toLowerCase();
  let best: { candidate: string; cost: number } | null = null;
  for (const candidate of candidates) {
    const wanted = candidate.toLowerCase();
    const cost = Math.min(distance(given, wanted), 1 + distance(lastPart(given), lastPart(wanted)));
    if (!best || cost < best.cost) best = { candidate, cost };
  }
  const bearable = Math.max(2, Math.floor(lastPart(given).length / 3));
  return best && best.cost <= bearable ? best.candidate : null;
}

/** Appended to a message about an unknown name. */
export function didYouMean(name: string, candidates: Iterable<string>): string {
  const found = nearest(name, candidates);
  return found === null ? "" : `; did you mean ${found}?`;
}

function lastPart(name: string): string {
  return name.slice(name.lastIndexOf(".") + 1);
}
