import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createOllamaProtocol } from "../../daemon/embedding/ollama-protocol.ts";
import {
  failureOf,
  openEndpoint,
  openTestModel,
  send,
  unitVectors,
  vectorFor,
  type Answer,
  type TestModel,
} from "./endpoint.ts";

const sendEmbeddings: Answer = (asked) =>
  send(asked, 200, {
    model: "test-model",
    embeddings: asked.texts.map(vectorFor),
    total_duration: 14_143_917,
  });

async function start(usual: Answer = sendEmbeddings, over: object = {}) {
  const endpoint = await openEndpoint(usual);
  const model: TestModel = openTestModel(new URL(endpoint.url).origin, { provider: "ollama", ...over });
  return { endpoint, model };
}

const error =
  (status: number, message: string): Answer =>
  (asked) =>
    send(asked, status, { error: message });

describe("Ollama's own endpoint", () => {
  it("is asked not to cut texts off, in batches, with prefixes, and gives each text its own vector", async () => {
    const { endpoint, model } = await start(undefined, { batchSize: 2, documentPrefix: "passage: " });
    expect(await model.embed(["a", "bb", "ccc"], "document")).toEqual(
      unitVectors(["passage: a", "passage: bb", "passage: ccc"]),
    );
    expect(endpoint.asked.map(({ request, body }) => [request.url, body])).toEqual([
      ["/api/embed", { model: "test-model", input: ["passage: a", "passage: bb"], truncate: false }],
      ["/api/embed", { model: "test-model", input: ["passage: ccc"], truncate: false }],
    ]);
  });

  it("is told how long to keep the model, and which dimensions are wanted", async () => {
    const { endpoint, model } = await start(undefined, { keepAliveMs: 1_800_000, dimensions: 3 });
    await model.embed(["a"], "query");
    expect(endpoint.asked[0]?.body).toMatchObject({ keep_alive: "1800000ms", dimensions: 3 });
  });

  it("waits for nobody's word after a crash unless told otherwise, since it costs nothing", async () => {
    expect((await start()).model.resumes).toBe("always");
    expect((await start(undefined, { resume: "ask" })).model.resumes).toBe("ask");
  });

  it.each<[string, Answer, string]>([
    [
      "a model that was not pulled",
      error(404, 'model "test-model" not found, try pulling it first'),
      "does not have the model test-model (404): ollama pull test-model",
    ],
    [
      "something that is no Ollama",
      (asked) => send(asked, 404, "404 page not found"),
      "has no /api/embed (404)",
    ],
    [
      "a model that makes no vectors",
      error(400, "this model does not support embeddings"),
      "does not support",
    ],
  ])("says at once what to do about %s", async (_, answer, words) => {
    const { endpoint, model } = await start(answer);
    const { kind, message } = await failureOf(model.embed(["x"], "document"));
    expect(kind).toBe("permanent");
    expect(message).toContain(words);
    expect(endpoint.asked).toHaveLength(1);
  });

  it.each([
    [400, "the input length exceeds the context length"],
    [500, "input length exceeds maximum context length"],
  ])(
    "that finds one text too long (%i) gets the others alone, and the failure names its length",
    async (code, words) => {
      const { model } = await start((asked) => {
        if (asked.texts.some((text) => text.length > 50)) void error(code, words)(asked);
        else void sendEmbeddings(asked);
      });
      const { message } = await failureOf(model.embed(["a", "x".repeat(51), "b"], "document"));
      expect(message).toContain("the text has 51 characters: make the base's chunks smaller");
      expect(model.hasVectors(["a", "b"])).toBe(true);
    },
  );

  it.each<[string, Answer]>([
    ["a runner that has died", error(500, "llama runner process has terminated")],
    ["a full queue", error(503, "server busy, please try again.  maximum pending requests exceeded")],
    ["an answer that breaks off", (asked) => send(asked, 200, '{"embeddings": [[1, 2')],
    ["an error under a 200", error(200, "loading")],
    ["too few vectors", (asked) => send(asked, 200, { embeddings: [] })],
    ["too many vectors", (asked) => send(asked, 200, { embeddings: [[1], [2]] })],
    ["a NaN", (asked) => send(asked, 200, '{"embeddings": [[NaN, 1, 1]]}')],
    ["nothing where a vector should be", (asked) => send(asked, 200, '{"embeddings": [[]]}')],
    ["numbers without their list", (asked) => send(asked, 200, '{"embeddings": [1, 2, 3]}')],
  ])("is asked again after %s", async (_, answer) => {
    const { endpoint, model } = await start();
    endpoint.next.push(answer);
    expect(await model.embed(["text"], "document")).toEqual(unitVectors(["text"]));
    expect(endpoint.asked).toHaveLength(2);
  });

  it("vectors are read however the JSON is spaced, and nothing else is taken for one", async () => {
    const row = fc.array(fc.double({ noNaN: true, min: -9, max: 9 }), { minLength: 2, maxLength: 3 });
    const spacing = fc.constantFrom(undefined, 1, "\t");
    await fc.assert(
      fc.asyncProperty(fc.array(row, { maxLength: 4 }), spacing, async (embeddings, space) => {
        const body = JSON.stringify({ note: '"embeddings": [[1]]', embeddings, last: [7] }, null, space);
        const vectors = await createOllamaProtocol().vectors(body, embeddings.length);
        expect(vectors.map((vector) => vector.length)).toEqual(embeddings.map((numbers) => numbers.length));
      }),
      { numRuns: 50 },
    );
    const spaces = `{"embeddings": [${" ".repeat(1_000_000)}`;
    await expect(createOllamaProtocol().vectors(spaces, 1)).rejects.toThrow("no valid JSON");
  });
});
