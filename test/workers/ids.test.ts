import { describe, expect, it } from "vitest";
import { searchTextIdOf, sha256, unitIdOf, type UnitIdentity } from "../../workers/ids.ts";

const unit: UnitIdentity = {
  materialId: "m",
  contentHash: sha256("text"),
  unitIndex: 0,
  charStart: 0,
  charEnd: 4,
};

describe("K7.6 ids", () => {
  it("K7.6 changing nothing yields the same unit id and search text id", () => {
    expect(unitIdOf({ ...unit })).toBe(unitIdOf(unit));
    expect(searchTextIdOf(unitIdOf({ ...unit }))).toBe(searchTextIdOf(unitIdOf(unit)));
    expect(unitIdOf(unit)).toMatch(/^[0-9a-f]{64}$/);
  });

  it.each<[string, Partial<UnitIdentity>]>([
    ["material", { materialId: "n" }],
    ["content", { contentHash: sha256("other") }],
    ["index", { unitIndex: 1 }],
    ["start", { charStart: 1 }],
    ["end", { charEnd: 5 }],
  ])("K7.6 another %s is another unit", (_, change) => {
    expect(unitIdOf({ ...unit, ...change })).not.toBe(unitIdOf(unit));
  });

  it("K7.6 fields do not run into one another", () => {
    expect(unitIdOf({ ...unit, unitIndex: 1, charStart: 23 })).not.toBe(
      unitIdOf({ ...unit, unitIndex: 12, charStart: 3 }),
    );
  });

  it("sha256 hashes a text as its UTF-8", () => {
    expect(sha256("é")).toBe(sha256(new Uint8Array([0xc3, 0xa9])));
    expect(sha256("")).toBe("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  });
});
