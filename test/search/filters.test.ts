import { setImmediate } from "node:timers";
import { describe, expect, it } from "vitest";
import { compilePathGlobs } from "../../daemon/search/path-globs.ts";
import { passing } from "../../daemon/search/filters.ts";
import { useCatalog } from "../support/catalog-fixture.ts";

const fixture = useCatalog();

describe("a path filter", () => {
  it("gives other work its turn while it goes through a large base, and ends when it is cancelled", async () => {
    const ids = fixture.catalog.transaction(() =>
      Array.from({ length: 3000 }, (_, at) => fixture.file(`folder/with a long name/file ${at}.md`).id),
    );
    let turns = 0;
    let going = true;
    const count = (): void => {
      turns++;
      if (going) setImmediate(count);
    };
    setImmediate(count);
    const found = await passing(
      fixture.catalog.items,
      ids,
      [compilePathGlobs(["folder/**/*7.md"])],
      new AbortController().signal,
    );
    going = false;
    expect(found).toHaveLength(300);
    expect(turns).toBeGreaterThan(0);
    await expect(
      passing(fixture.catalog.items, ids, [compilePathGlobs(["*"])], AbortSignal.abort()),
    ).rejects.toMatchObject({
      name: "AbortError",
    });
  });
});
