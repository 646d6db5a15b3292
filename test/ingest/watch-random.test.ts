import {
  appendFileSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { type Followed, follow, makeFolder, until } from "./watch-support.ts";

const OPERATIONS = 1_500;
const NAMES = ["a", "b", "c", "d"];

/** A small generator with a seed that a failure prints. */
function generator(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** Path → size, mtime and inode, as a walk finds them. */
function walk(root: string, below = ""): [string, string][] {
  return readdirSync(path.join(root, below)).flatMap((name): [string, string][] => {
    const inner = below === "" ? name : `${below}/${name}`;
    const stats = lstatSync(path.join(root, inner), { bigint: true });
    return stats.isDirectory() ? walk(root, inner) : [[inner, `${stats.size} ${stats.mtimeNs} ${stats.ino}`]];
  });
}

function asText(files: readonly (readonly string[])[]): string {
  return files
    .map((file) => file.join(" "))
    .sort()
    .join("\n");
}

function told(seen: Followed): string {
  const files = [...seen.files.values()].map(({ path, stamp }) => [
    path,
    `${stamp.size} ${stamp.mtimeNs} ${stamp.ino}`,
  ]);
  return asText(files);
}

function operate(root: string, next: (below: number) => number, step: number): void {
  const pick = (): string =>
    path.join(root, ...Array.from({ length: 1 + next(3) }, () => NAMES[next(NAMES.length)] ?? "a"));
  const target = pick();
  const kind = next(9);
  try {
    if (kind <= 2) writeFileSync(target, `${step}`);
    else if (kind === 3) appendFileSync(target, `${step}`);
    else if (kind === 4) mkdirSync(target, { recursive: true });
    else if (kind === 5) rmSync(target, { recursive: true, force: true });
    else if (kind === 6) renameSync(pick(), target);
    else if (kind === 7) linkSync(pick(), target);
    else {
      writeFileSync(`${target}.tmp~`, `atomic ${step}`);
      renameSync(`${target}.tmp~`, target);
    }
  } catch {
    // Many of these can't be done as things stand: that is part of the mix.
  }
}

for (const backend of ["directory", "chokidar"] as const) {
  describe(`P7 after random operations (${backend})`, () => {
    it("what was told equals a walk of the folder, without any complete scan", async () => {
      const seed = Date.now() % 2 ** 32;
      const next = generator(seed);
      const root = makeFolder();
      writeFileSync(path.join(root, "anchor.md"), "keeps the root from being empty");
      const seen = await follow(root, { settings: { backend, maxDirtyDirectories: 10_000 } });
      for (let step = 0; step < OPERATIONS; step++) {
        operate(root, next, step);
        // Now and then the thread gets to see a state in between.
        if (next(40) === 0) await new Promise((resolve) => setTimeout(resolve, 15));
      }
      const truth = asText(walk(root).filter(([name]) => !name.endsWith("~")));
      await until(
        () => told(seen) === truth,
        () => ({ seed, truth, told: told(seen) }),
      );
      expect(seen.of("scanned")).toHaveLength(1);
    });
  });
}
