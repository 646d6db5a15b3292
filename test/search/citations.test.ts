import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ownerScope } from "../../daemon/runtime/scope.ts";
import { methodTable, type ParamsInput } from "../../rpc/contract/index.ts";
import type { Item } from "../../rpc/contract/items.ts";
import { useSearch } from "../support/search-fixture.ts";

const fixture = useSearch();
const call = { signal: new AbortController().signal, scope: ownerScope };
const read = (itemId: string) => fixture.search.read(methodTable["kb.read"].params.parse({ itemId }), call);

async function verify(citation: ParamsInput<"citation.verify">) {
  const verdict = await fixture.search.verify(methodTable["citation.verify"].params.parse(citation), call);
  expect(methodTable["citation.verify"].result.parse(verdict)).toEqual(verdict);
  return verdict;
}

const text = "Keys are rotated every month.\nOld ones stay valid for a week.\nKeys are rotated twice.";
const quoted = "Old ones stay valid";
const at = { charStart: text.indexOf(quoted), charEnd: text.indexOf(quoted) + quoted.length };

/** A document with this text, and the same document after it became another one. */
function document(before: string, after?: string) {
  const { base, index, add } = fixture.base({ embeddingModelId: null, dimensions: null });
  const item = add({ title: "Keys", path: "keys.md", chunks: [before] });
  const change = (): void => {
    if (after === undefined) return;
    index.remove(item.id);
    index.add({ id: item.id, path: item.conceptId, title: item.title, chunks: [after] });
  };
  return { base, item, change };
}

async function cite(item: Item) {
  return { itemId: item.id, ...at, contentHash: (await read(item.id)).contentHash };
}

describe("K10.4 citation.verify", () => {
  it("says that an unchanged document still has the passage, with the words or without them", async () => {
    const { base, item } = document(text);
    const citation = await cite(item);
    const place = { itemId: item.id, baseId: base.id, conceptId: "keys.md", ...at };
    expect(await verify(citation)).toMatchObject({ status: "verified", ...place, totalChars: text.length });
    expect(await verify({ ...citation, text: quoted })).toMatchObject({
      status: "verified",
      ...place,
      places: 1,
    });
    const { itemId: _, ...byConcept } = citation;
    expect(await verify({ ...byConcept, baseId: base.id, conceptId: "keys.md", text: "stay" })).toMatchObject(
      {
        status: "verified",
        charStart: text.indexOf("stay"),
      },
    );
  });

  it.each([
    ["words before it were added", `A new first line.\n${text}`, "moved", 18],
    ["what stands behind it changed", `${text}\nMore.`, "verified", 0],
    ["its words changed", text.replace("valid", "good"), "changed", null],
  ])("when %s, it is told by the stored text", async (_title, after, status, shift) => {
    const { item, change } = document(text, after);
    const citation = await cite(item);
    change();
    const verdict = await verify({ ...citation, text: quoted });
    expect(verdict.status).toBe(status);
    expect(verdict.charStart).toBe(shift === null ? undefined : at.charStart + shift);
    expect(after.slice(verdict.charStart ?? 0, verdict.charEnd ?? 0)).toBe(shift === null ? "" : quoted);
    expect(await verify(citation)).toMatchObject({ status: "changed" });
  });

  it("never takes a place beyond the end, or other words at the place, for the passage", async () => {
    const { item } = document(text);
    const citation = await cite(item);
    expect(await verify({ ...citation, charStart: 5000, charEnd: 5010 })).toMatchObject({
      status: "changed",
    });
    expect(await verify({ ...citation, text: "Old ones were valid" })).toMatchObject({ status: "changed" });
    expect(await verify({ ...citation, charStart: 40, text: "Keys are" })).toMatchObject({
      status: "moved",
      charStart: text.lastIndexOf("Keys are"),
      places: 2,
    });
  });

  it("says of a document that can't be read any more that it is gone", async () => {
    const { base, item } = document(text);
    const citation = await cite(item);
    fixture.catalog.items.beginDelete([item.id]);
    expect(await verify(citation)).toMatchObject({ status: "gone" });
    fixture.catalog.items.remove([item.id]);
    expect(await verify(citation)).toMatchObject({ status: "gone" });
    const { itemId: _, ...rest } = citation;
    expect(await verify({ ...rest, baseId: base.id, conceptId: "keys.md" })).toMatchObject({
      status: "gone",
    });
  });

  it.each([
    [{ charStart: 10, charEnd: 10 }, "charEnd"],
    [{ charStart: 10, charEnd: 12, text: "longer" }, "text"],
  ])("refuses the span %o, which no citation has", async (span, field) => {
    const { item } = document(text);
    await expect(verify({ ...(await cite(item)), ...span })).rejects.toMatchObject({
      errorName: "INVALID_FIELD",
      data: { field },
    });
    const unnamed = { charStart: 0, charEnd: 2, contentHash: "x" };
    await expect(verify(unnamed)).rejects.toMatchObject({ errorName: "INVALID_FIELD" });
  });

  it("finds the nearest of all places that a quotation has, as the text itself says, also in repeated letters", async () => {
    const letters = fc.string({ unit: fc.constantFrom("a", "b"), minLength: 1, maxLength: 40 });
    const { item, index } = (() => {
      const made = fixture.base({ embeddingModelId: null, dimensions: null });
      return { ...made, item: made.add({ title: "Letters", path: "letters.md", chunks: ["a"] }) };
    })();
    await fc.assert(
      fc.asyncProperty(letters, letters, fc.nat(30), async (whole, part, charStart) => {
        index.remove(item.id);
        index.add({ id: item.id, path: item.conceptId, title: item.title, chunks: [whole] });
        const span = { charStart, charEnd: charStart + part.length };
        const verdict = await verify({ itemId: item.id, contentHash: "other", ...span, text: part });
        const starts = Array.from(whole, (_, start) => start).filter((start) =>
          whole.startsWith(part, start),
        );
        expect(verdict.places).toBe(starts.length);
        const distances = starts.map((start) => Math.abs(start - charStart));
        const found = verdict.charStart === undefined ? Infinity : Math.abs(verdict.charStart - charStart);
        expect(found).toBe(Math.min(...distances, Infinity));
        const status = starts.includes(charStart) ? "verified" : starts.length > 0 ? "moved" : "changed";
        expect(verdict.status).toBe(status);
      }),
      { numRuns: 60 },
    );
  });
});
