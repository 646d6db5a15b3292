/** Writes, deletes and packs vectors in an index without end, saying what it has done, until it is killed. */
import { createHash } from "node:crypto";
import { writeSync } from "node:fs";
import { openIndexRegistry } from "../../dist/daemon/storage/index/registry.js";

const [dataDir, baseId] = process.argv.slice(2);
const registry = openIndexRegistry({
  dataDir,
  sliceMs: 2,
  onRecreated: (_, reason) => say(`recreated ${reason}`),
});

for (let round = 0; ; round++) {
  const small = Array.from({ length: 8 }, (_, at) => revision(`small-${round}-${at}`, 3));
  await commit(small);
  await commit([revision(`big-${round}`, 600)]);
  if (round > 0) {
    const gone = [`big-${round - 1}`, `small-${round - 1}-0`];
    for (const id of gone) say(`removing ${id}`);
    await registry.remove(baseId, gone);
  }
  while (await registry.merge(baseId));
}

async function commit(revisions) {
  for (const { materialId, error } of await registry.commit(baseId, revisions)) {
    if (error) throw error;
    say(`stored ${materialId}`);
  }
}

/** Synchronous: a line that was said before the kill is heard. */
function say(line) {
  writeSync(1, `${line}\n`);
}

function revision(materialId, count) {
  const chunks = Array.from({ length: count }, (_, at) => `${materialId} chunk ${at} with a few words`);
  const text = chunks.join("\n\n");
  const contentHash = sha256(text);
  let end = -2;
  const units = chunks.map((chunk, unitIndex) => {
    const charStart = end + 2;
    end = charStart + chunk.length;
    return {
      unitId: sha256(`${contentHash} ${unitIndex}`),
      searchTextId: sha256(`${contentHash} ${unitIndex} body`),
      textHash: sha256(chunk),
      unitIndex,
      charStart,
      charEnd: end,
      title: materialId,
      headings: [],
      locator: null,
      wordsTitle: materialId,
      wordsBody: chunk,
    };
  });
  const vectors = new Map(units.map((unit) => [unit.textHash, wide(unit.unitIndex)]));
  return { materialId, relativePath: `${materialId}.md`, format: "text", text, contentHash, units, vectors };
}

/** Of so many dimensions that a few hundred make a pack. */
function wide(value) {
  return new Float32Array(512).fill(1).with(0, value);
}

function sha256(text) {
  return createHash("sha256").update(text).digest("hex");
}
