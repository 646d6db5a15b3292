import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { createReaders } from "../../workers/search/readers.ts";
import { buildIndex } from "../support/build-index.ts";
import { temporaryFolder } from "../support/temporary.ts";

function openReaders(count: number) {
  const folder = temporaryFolder();
  const targets = Array.from({ length: count }, (_, at) => {
    const indexPath = path.join(folder, `${at}.sqlite`);
    buildIndex(indexPath).close();
    return { baseId: `base ${at}`, indexPath };
  });
  const readers = createReaders({ vectorCacheBytes: 1 << 20 });
  onTestFinished(() => readers.closeAll());
  return { readers, targets };
}

it("a search of more bases than are kept open finds most of them open the next time", () => {
  const { readers, targets } = openReaders(18);
  const first = targets.map((target) => readers.get(target));
  const again = targets.map((target) => readers.get(target));
  expect(again.filter((entry, at) => entry === first[at]).length).toBeGreaterThanOrEqual(15);
});

it("no more are open than are kept, and what was closed is opened again", () => {
  const { readers, targets } = openReaders(20);
  for (const target of targets) readers.get(target);
  for (const target of targets.toReversed())
    expect(readers.get(target).reader.statement("SELECT 1").pluck().get()).toBe(1);
  expect(targets.filter(({ baseId }) => readers.close(baseId))).toHaveLength(16);
});
