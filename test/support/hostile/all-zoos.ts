import { bombs } from "./bombs.ts";
import { entities } from "./entities.ts";
import { longLines } from "./long-lines.ts";
import { mutate } from "./mutate.ts";
import { nesting } from "./nesting.ts";
import { cutOff, disguised, oddBytes, polyglots, unsupported } from "./odd-bytes.ts";
import { pdfs } from "./pdfs.ts";
import { smallFiles } from "./small-files.ts";
import { tables } from "./tables.ts";
import { traps } from "./traps.ts";
import type { Zoo } from "./zoo.ts";

/** Every n-th of a zoo. */
function everyNth(zoo: Zoo, step: number): Zoo {
  return Object.fromEntries(Object.entries(zoo).filter((_, index) => index % step === 0));
}

function without(zoo: Zoo, heavy: RegExp): Zoo {
  return Object.fromEntries(Object.entries(zoo).filter(([name]) => !heavy.test(name)));
}

/** Random faults in small sound files: the seed is the number in the name. */
export function mutants(from: number, to: number): Zoo {
  const names = Object.keys(smallFiles);
  return Object.fromEntries(
    Array.from({ length: to - from }, (_, index) => {
      const seed = from + index;
      const name = names[seed % names.length] ?? "words.txt";
      return [`${seed} ${name}`, () => mutate(smallFiles[name]?.() ?? new Uint8Array(), seed)];
    }),
  );
}

/** Slow by nature or slow to make: these are for the soak. */
const heavy =
  /as much as fits|500 names|of 60 MB|a million (?!texts)|saves without|never end|100000 (?:pages|notes)|run lengths|a text of 20 MB|500 MB|packed ten|many messages|pages 50000|100000 entries.*(?:odt|odp|ods|pptx|epub)/;

/** Some of each kind, enough for a few seconds of a core. */
export function quickZoo(secret: string): Zoo {
  return without(
    {
      ...everyNth(bombs, 3),
      ...everyNth(entities(secret), 2),
      ...everyNth(nesting, 7),
      ...everyNth(pdfs, 2),
      ...everyNth(oddBytes, 7),
      ...everyNth(cutOff, 17),
      ...everyNth(polyglots, 5),
      ...everyNth(disguised, 37),
      ...everyNth(longLines(500_000), 6),
      ...everyNth(traps(10_000), 67),
    },
    heavy,
  );
}

/** All of it; lines of that many bytes. */
export function wholeZoo(secret: string, lineBytes: number): Readonly<Record<string, Zoo>> {
  return {
    bombs,
    entities: entities(secret),
    nesting,
    PDFs: pdfs,
    tables,
    "one line": longLines(lineBytes),
    "odd bytes": oddBytes,
    "cut off": cutOff,
    polyglots,
    disguised,
    traps: traps(100_000),
    unsupported,
  };
}
