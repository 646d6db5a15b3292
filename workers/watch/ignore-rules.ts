import { escapePath } from "../path-bytes.ts";
import type { WatchRules } from "./contract.ts";
import { costlyPatterns, createPatternSet, type PatternSet } from "./ignore-patterns.ts";
import { isLeftOut } from "./left-out.ts";
import { joinPath, lookAt, readSmallFile, reasonOf } from "./listing.ts";
import { keyOfStats } from "./stamp.ts";
import type { Directory } from "./tree.ts";

/** What leaves entries of one directory out: its own ignore files and those above it. */
export interface RuleLevel {
  readonly patterns: PatternSet | null;
  readonly above: RuleLevel | null;
  /** States of its own ignore files; empty when it has none. */
  readonly stamp: string;
}

export interface Rules {
  /** The directory's level, made anew when its ignore files (or those above it) have changed. */
  levelOf(directory: Directory): RuleLevel;
  leavesOut(level: RuleLevel, path: string, name: string, isDirectory: boolean): boolean;
}

// Later ones decide over earlier ones of the same folder.
const IGNORE_FILES = [".gitignore", ".knowdignore"];
const MAX_IGNORE_FILE_BYTES = 1024 * 1024;

export function isIgnoreFile(name: string): boolean {
  return IGNORE_FILES.includes(name);
}

export interface RulesDeps {
  readonly rules: WatchRules;
  /** The root, absolute and escaped. Only ignore files from here down count: those of a work tree around it do not. */
  readonly base: () => string;
  readonly warn: (text: string) => void;
}

export function createRules({ rules, base, warn }: RulesDeps): Rules {
  const excluded = rules.exclude.length > 0 ? createPatternSet(rules.exclude) : null;
  const included = rules.include.length > 0 ? createPatternSet(rules.include) : null;
  const top: RuleLevel = { patterns: null, above: null, stamp: "" };

  const ownLevel = (directory: Directory, above: RuleLevel): RuleLevel => {
    const folder = joinPath(base(), directory.path);
    const stamp = rules.useIgnoreFiles ? stampOfIgnoreFiles(folder) : "";
    const known = directory.rules;
    if (known && known.above === above && known.stamp === stamp) return known;
    if (stamp === "") return { patterns: above.patterns, above, stamp };
    let patterns = above.patterns ?? createPatternSet([]);
    for (const name of IGNORE_FILES) {
      try {
        const bytes = readSmallFile(joinPath(folder, name), MAX_IGNORE_FILE_BYTES);
        if (!bytes) continue;
        const text = escapePath(bytes);
        patterns = patterns.with(directory.path, text);
        const costly = costlyPatterns(text).length;
        if (costly > 0)
          warn(`${joinPath(folder, name)}: ${costly} pattern(s) with more than 3 ** are left out`);
      } catch (error) {
        warn(`${joinPath(folder, name)} can't be read, so its patterns are not followed: ${reasonOf(error)}`);
      }
    }
    return { patterns, above, stamp };
  };

  return {
    levelOf(directory) {
      const path: Directory[] = [];
      for (let at: Directory | null = directory; at; at = at.parent) path.push(at);
      let level = top;
      for (const at of path.reverse()) {
        // Those above were compared before; only the asked one's files are looked at each time.
        level = at.rules && at !== directory && at.rules.above === level ? at.rules : ownLevel(at, level);
        at.rules = level;
      }
      return level;
    },
    leavesOut(level, path, name, isDirectory) {
      if (isLeftOut(name, isDirectory, rules.hidden)) return true;
      if (excluded?.matches(path, isDirectory) || level.patterns?.matches(path, isDirectory)) return true;
      // Any folder may hold something that is wanted.
      return !isDirectory && included !== null && !included.matches(path, false);
    },
  };
}

function stampOfIgnoreFiles(folder: string): string {
  let stamp = "";
  for (const name of IGNORE_FILES) {
    const look = lookAt(joinPath(folder, name));
    if (look.kind === "stats" && look.stats.isFile()) stamp += `${name} ${keyOfStats(look.stats)};`;
  }
  return stamp;
}
