import type { OutlineEntry } from "../reader.ts";
import { withTree } from "./engine.ts";
import type { Grammar } from "./grammars.ts";
import { findSymbols, type Found } from "./walk.ts";

/** Source code beyond this is data or made by programs; characters. */
const MAX_LENGTH = 1024 * 1024;
/** Lines of this mean length or more are no person's. */
const MINIFIED_MEAN = 200;
const MIN_MINIFIED_LENGTH = 4096;
/**
 * What parse and walk may cost, in steps of the parser (each some 100 of its operations): twice what any real file takes,
 * and about 2 s of a core for 1 MB made to confuse. Steps and not time, so that a busy machine gives the same outline.
 */
const FIRST_STEPS = 2000;
const STEPS_PER_CHAR = 20 / 1024;
/** Should steps ever be slow. */
const MAX_TIME_MS = 5000;
/** As many levels as headings have. */
const MAX_LEVEL = 6;

/** The functions, classes and other symbols of a source text; null where it is better kept as plain lines. */
export async function sourceOutline(text: string, grammar: Grammar): Promise<OutlineEntry[] | null> {
  if (text.length > MAX_LENGTH || isMinified(text)) return null;
  const isLate = createBudget(FIRST_STEPS + text.length * STEPS_PER_CHAR, MAX_TIME_MS);
  const found = await withTree(grammar.file, text, isLate, (root) =>
    findSymbols(root, text, grammar, isLate),
  );
  return found === null ? null : nest(found);
}

function createBudget(steps: number, timeMs: number): () => boolean {
  const end = performance.now() + timeMs;
  let left = steps;
  return () => --left < 0 || performance.now() > end;
}

function isMinified(text: string): boolean {
  if (text.length < MIN_MINIFIED_LENGTH) return false;
  const enough = text.length / MINIFIED_MEAN;
  let lines = 1;
  for (let at = text.indexOf("\n"); at !== -1 && lines <= enough; at = text.indexOf("\n", at + 1)) lines++;
  return lines <= enough;
}

/**
 * Symbols with what leads to them, each inside the one around it. Those on one line are left out, and those that share a
 * line with the one before them.
 */
function nest({ symbols, leads }: Found): OutlineEntry[] {
  const leadStart = new Map(leads.map(({ line, endLine }) => [endLine, line]));
  const entries: OutlineEntry[] = [];
  const around: { readonly endLine: number }[] = [];
  let free = 0;
  for (const { heading, line: own, endLine } of symbols) {
    while ((around.at(-1)?.endLine ?? Infinity) <= own) free = Math.max(free, around.pop()?.endLine ?? 0);
    let line = own;
    for (let lead = leadStart.get(line); lead !== undefined && lead >= free; lead = leadStart.get(line))
      line = lead;
    const outer = around.at(-1)?.endLine ?? Infinity;
    if (line < free || endLine > outer || endLine - line < 2 || around.length >= MAX_LEVEL) continue;
    entries.push({ line, level: around.length + 1, text: heading, endLine });
    around.push({ endLine });
    free = own + 1;
  }
  return entries;
}
