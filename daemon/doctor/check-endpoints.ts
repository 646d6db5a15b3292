import type { Check } from "../../rpc/contract/doctor.ts";
import type { EmbeddingModels } from "../embedding/provider.ts";
import type { Rerankers } from "../rerank/reranker.ts";
import { ok, problem, reasonOf } from "./machine/findings.ts";

export interface EndpointInput {
  readonly models: EmbeddingModels;
  readonly rerankers: Rerankers;
}

/** A person waits: an endpoint that is well answers a short text sooner, one that loads its model first may not. */
const PATIENCE_MS = 20_000;
const TEXT = "knowd asks whether this model answers";

/** Each model and reranker is asked for one short text, all at once. */
export async function checkEndpoints(input: EndpointInput, signal: AbortSignal): Promise<Check[]> {
  const ask = async (id: string, question: (signal: AbortSignal) => Promise<string>): Promise<Check> => {
    const patience = AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]);
    try {
      return ok("endpoint", `${id} answers: ${await question(patience)}`);
    } catch (error) {
      signal.throwIfAborted();
      const why = patience.aborted ? `nothing came within ${PATIENCE_MS / 1000} s` : reasonOf(error);
      const fix = `start its server, or correct its table in the configuration (id = "${id}")`;
      return problem("endpoint", `${id} does not answer: ${why}`, fix);
    }
  };
  const models = input.models.ids().flatMap((id) => input.models.get(id) ?? []);
  const rerankers = input.rerankers.ids().flatMap((id) => input.rerankers.get(id) ?? []);
  return await Promise.all([
    ...models.map((model) =>
      ask(model.id, async (patience) => {
        const [vector] = await model.embed([`${TEXT} (${Date.now()})`], "query", patience);
        return `${vector?.length ?? 0} dimensions`;
      }),
    ),
    ...rerankers.map((reranker) =>
      ask(reranker.id, async (patience) => `score ${(await reranker.score(TEXT, [TEXT], patience))[0]}`),
    ),
  ]);
}
