/** A model host: a child process that holds one ONNX model. Started by the daemon, which supervises it. */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { EmbedOutput } from "../../contract.ts";
import { serveHost } from "../../host-loop.ts";
import type { OnnxHostInit, OnnxTasks } from "./contract.ts";
import { isUnchanged, readModelFolder, type ModelFolder } from "./model-folder.ts";
import { openSession, type EmbeddingSession } from "./session.ts";
import { planRuns } from "./token-batches.ts";
import { createTurns } from "./turns.ts";

let init: OnnxHostInit;
let described: Promise<ModelFolder> | null = null;
let opened: Promise<EmbeddingSession> | null = null;
const turns = createTurns();

serveHost({
  onStart(given) {
    init = given as OnnxHostInit;
  },
  async run(task, input, signal) {
    if (task === "onnx.describe") return describe();
    if (task === "onnx.embed") return await embed(input as OnnxTasks["onnx.embed"]["input"], signal);
    throw new Error(`there is no task ${task}`);
  },
});

/** Hashed anew where a file has changed; a session of the old files is let go. */
async function describe(): Promise<OnnxTasks["onnx.describe"]["output"]> {
  const known = described && (await described.catch(() => null));
  if (!known || !(await isUnchanged(known))) {
    described = readModelFolder(init);
    opened = null;
  }
  const { hash, queryPrefix, documentPrefix } = await described!;
  return { hash, queryPrefix, documentPrefix };
}

async function embed(
  { hash, texts, urgent }: OnnxTasks["onnx.embed"]["input"],
  signal: AbortSignal,
): Promise<EmbedOutput> {
  const now = await describe();
  if (now.hash !== hash) {
    const message = `${init.folder} holds another model than before`;
    throw Object.assign(new Error(message), { name: "MODEL_CHANGED" });
  }
  const folder = await described!;
  opened ??= openSession(init, folder);
  opened.catch(() => (opened = null));
  const session = await opened;
  const vectors: Float32Array[] = [];
  const encoded: (readonly number[])[] = [];
  for (const text of texts) {
    await turns.take(urgent, signal, async () => encoded.push(session.encode(text)));
  }
  for (const batch of planRuns(encoded)) {
    const made = await turns.take(urgent, signal, () => session.run(batch));
    batch.places.forEach((place, at) => (vectors[place] = made[at]!));
    // What came meanwhile is heard before the next run.
    await nextTurn();
  }
  const dimensions = vectors[0]?.length ?? 0;
  const all = new Float32Array(vectors.length * dimensions);
  vectors.forEach((vector, at) => all.set(vector, at * dimensions));
  return { dimensions, vectors: all };
}
