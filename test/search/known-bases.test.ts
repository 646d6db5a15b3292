import { describe, expect, it } from "vitest";
import { keepBases } from "../../daemon/search/known-bases.ts";
import { baseInput, useCatalog } from "../support/catalog-fixture.ts";

const at = useCatalog();

describe("what a search knows of bases", () => {
  it("is what the catalogue says, whatever was written since the last search", () => {
    const { catalog, base } = at;
    const kept = keepBases(catalog);
    expect(kept.bases.require(base.id)).toEqual(base);
    catalog.bases.update(base.id, { name: "other" });
    expect(kept.bases.require(base.id)).toEqual(catalog.bases.require(base.id));
    const second = catalog.bases.create(baseInput());
    expect(kept.bases.all().map(({ id }) => id)).toContain(second.id);
    catalog.bases.remove(second.id);
    expect(() => kept.bases.require(second.id)).toThrow(
      expect.objectContaining({ errorName: "BASE_NOT_FOUND" }),
    );
  });

  it("is the state of their sources and the identity of their models too", () => {
    const { catalog, base } = at;
    const kept = keepBases(catalog);
    expect(kept.sources.all()).toEqual([]);
    expect(kept.baseModels.fingerprint(base.id)).toBeNull();
    const source = at.source();
    catalog.sources.setState(source.id, "unavailable", "its disk is away");
    catalog.baseModels.remember(base.id, "model 2");
    expect(kept.sources.all()).toMatchObject([{ id: source.id, state: "unavailable" }]);
    expect(kept.baseModels.fingerprint(base.id)).toBe("model 2");
  });

  it("is read once while nothing is written", () => {
    const { catalog, base } = at;
    let reads = 0;
    const counted = {
      ...catalog,
      bases: { ...catalog.bases, require: (id: string) => (reads++, catalog.bases.require(id)) },
    };
    const kept = keepBases(counted);
    for (let n = 0; n < 3; n++) kept.bases.require(base.id);
    expect(reads).toBe(1);
    at.file("a.md");
    kept.bases.require(base.id);
    expect(reads).toBe(2);
  });
});
