import { describe, expect, it } from "vitest";
import { baseInput, refusalOf, useCatalog } from "../support/catalog-fixture.ts";

describe("the model that made a base's vectors", () => {
  const at = useCatalog();

  it("is kept, and with it whether the model of that id is another one now", () => {
    const { id } = at.catalog.bases.create(baseInput());
    expect([at.catalog.baseModels.fingerprint(id), at.catalog.baseModels.changed(id)]).toEqual([null, false]);
    at.catalog.baseModels.remember(id, "openai/a");
    at.catalog.baseModels.setChanged(id, true);
    const { baseModels } = at.reopen();
    expect([baseModels.fingerprint(id), baseModels.changed(id)]).toEqual(["openai/a", true]);
  });

  it("K3.2 dimensions of a filled base change only with the model that it adopts", () => {
    const { bases, baseModels } = at.catalog;
    const { id } = bases.create(baseInput({ embeddingModelId: "m", dimensions: 3 }));
    at.file("a.md", { baseId: id });
    expect(refusalOf(() => bases.update(id, { dimensions: 4 }))?.errorName).toBe("BASE_NOT_EMPTY");
    baseModels.setChanged(id, true);
    baseModels.adopt(id, { fingerprint: "openai/b", dimensions: 4 });
    expect(bases.require(id)).toMatchObject({ embeddingModelId: "m", dimensions: 4 });
    expect([baseModels.fingerprint(id), baseModels.changed(id)]).toEqual(["openai/b", false]);
  });

  it("is no model's in a base that is not there, or has none", () => {
    const { id } = at.catalog.bases.create(baseInput({ embeddingModelId: null, dimensions: null }));
    const identity = { fingerprint: "f", dimensions: 3 };
    expect(refusalOf(() => at.catalog.baseModels.adopt(id, identity))?.errorName).toBe("BASE_NOT_FOUND");
    expect(refusalOf(() => at.catalog.baseModels.remember("x", "f"))?.errorName).toBe("BASE_NOT_FOUND");
    expect(at.catalog.baseModels.fingerprint("x")).toBeNull();
  });
});
