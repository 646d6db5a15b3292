import type { PatternOptions } from "../contract.ts";
import { createIdleMemory } from "../idle-memory.ts";
import { compileLinePattern, type LinePattern } from "./line-pattern.ts";

/** Compiled patterns, kept for a while after use: what their automata have met serves a grep's next batch and the next grep. */
export interface PatternCache {
  /** Nobody else uses the pattern meanwhile. Throws PATTERN_INVALID. */
  use<T>(options: PatternOptions, work: (pattern: LinePattern) => Promise<T>): Promise<T>;
  clear(): void;
}

/** Their tables take some ten megabytes each at most, and mostly some hundred kilobytes. */
const MAX_PATTERNS = 4;

export function createPatternCache(): PatternCache {
  // A Map keeps the order of insertion: the first entry was used the longest ago.
  const patterns = new Map<string, LinePattern>();
  const idle = createIdleMemory(clear);

  function clear(): void {
    idle.stop();
    patterns.clear();
  }

  function keep(key: string, pattern: LinePattern): void {
    patterns.delete(key);
    patterns.set(key, pattern);
    const [oldest = ""] = patterns.keys();
    if (patterns.size > MAX_PATTERNS) patterns.delete(oldest);
    idle.used();
  }

  return {
    async use(options, work) {
      const { patterns: asked, literal, caseSensitive, word, wholeLine, invert } = options;
      const key = JSON.stringify([asked, literal, caseSensitive, word, wholeLine, invert]);
      const pattern = patterns.get(key) ?? compileLinePattern(options);
      // Who asks for the same one meanwhile gets another.
      patterns.delete(key);
      try {
        return await work(pattern);
      } finally {
        keep(key, pattern);
      }
    },
    clear,
  };
}
