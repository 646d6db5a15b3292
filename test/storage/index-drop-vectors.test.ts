import { expect, it } from "vitest";
import { RevisionRejected } from "../../daemon/storage/index/contract.ts";
import { baseId, chunksOf, openTestRegistry, revision, vectorFor } from "../support/index-revision.ts";

it("K8.4 an index whose vectors are dropped keeps texts and words, and takes vectors of another length from then on", async () => {
  const { registry, values } = openTestRegistry({ sliceMs: 1 });
  await registry.create(baseId, { substring: false });
  const chunks = chunksOf("a", 300);
  await registry.commit(baseId, [revision("a", chunks)]);
  const wider = (): ReturnType<typeof revision> => {
    const made = revision("a", chunks);
    const longer = [...made.vectors!].map(([hash, vector]): [string, Float32Array] => [
      hash,
      Float32Array.of(...vector, 1),
    ]);
    return { ...made, vectors: new Map(longer) };
  };
  const [generation] = values("SELECT generation FROM stats");
  // Those that the index has stay as they are, whatever comes.
  expect(await registry.commit(baseId, [wider()])).toEqual([{ materialId: "a", error: null }]);
  expect(values("SELECT DISTINCT length(vector_blob) FROM embedding")).toEqual([vectorFor("a").byteLength]);

  await registry.dropVectors(baseId);
  await registry.dropVectors(baseId);
  expect(values("SELECT count(*) FROM embedding")).toEqual([0]);
  expect(values("SELECT count(*) FROM search_text WHERE embedding_text_hash IS NOT NULL")).toEqual([0]);
  expect(values("SELECT generation FROM stats")[0]).toBeGreaterThan(generation as number);
  expect(await registry.check(baseId)).toMatchObject({ ok: true, units: 300, vectors: 0 });

  expect(await registry.commit(baseId, [wider()])).toEqual([{ materialId: "a", error: null }]);
  expect(values("SELECT DISTINCT length(vector_blob) FROM embedding")).toEqual([
    vectorFor("a").byteLength + 4,
  ]);
  expect(values("SELECT count(*) FROM search_text WHERE embedding_text_hash IS NULL")).toEqual([0]);
  const [outcome] = await registry.commit(baseId, [revision("b", ["zqother"])]);
  expect(outcome?.error).toBeInstanceOf(RevisionRejected);
});
