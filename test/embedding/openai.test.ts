import { describe, expect, it } from "vitest";
import {
  failureOf,
  openEndpoint,
  openTestCache,
  openTestModel,
  send,
  sendVectors,
  unitVectors,
  vectorFor,
  type Answer,
} from "./endpoint.ts";

describe("what is sent and what comes back", () => {
  it("texts go in batches within both bounds, and each gets its own vector of length one", async () => {
    const endpoint = await openEndpoint();
    const texts = ["a", "bb", "ccc", "d".repeat(900), "e".repeat(900), "f"];
    expect(
      await openTestModel(endpoint.url, { batchSize: 2, batchCharacters: 1024 }).embed(texts, "document"),
    ).toEqual(unitVectors(texts));
    expect(endpoint.asked.map(({ texts }) => texts.map((text) => text[0]).join("")).sort()).toEqual([
      "ab",
      "cd",
      "ef",
    ]);
    expect(endpoint.asked[0]?.body).toEqual({
      model: "test-model",
      input: ["a", "bb"],
      encoding_format: "base64",
    });
    expect(endpoint.asked[0]?.request.url).toBe("/v1/embeddings");
  });

  it("answers are put in order by their index", async () => {
    const endpoint = await openEndpoint((asked) => {
      const data = asked.texts.map((text, index) => ({ index, embedding: vectorFor(text) })).reverse();
      send(asked, 200, { data });
    });
    expect(await openTestModel(endpoint.url).embed(["a", "bb", "ccc"], "document")).toEqual(
      unitVectors(["a", "bb", "ccc"]),
    );
  });

  it("a text that comes twice is sent once, and nothing is sent for no texts", async () => {
    const endpoint = await openEndpoint();
    const model = openTestModel(endpoint.url);
    expect(await model.embed(["a", "b", "a"], "document")).toEqual(unitVectors(["a", "b", "a"]));
    expect(await model.embed([], "document")).toEqual([]);
    expect(endpoint.asked.map(({ texts }) => texts)).toEqual([["a", "b"]]);
  });

  it("queries and documents have their own prefixes", async () => {
    const endpoint = await openEndpoint();
    const model = openTestModel(endpoint.url, { queryPrefix: "query: ", documentPrefix: "passage: " });
    expect(await model.embed(["x"], "query")).toEqual(unitVectors(["query: x"]));
    expect(await model.embed(["x"], "document")).toEqual(unitVectors(["passage: x"]));
    expect(endpoint.asked.map(({ texts }) => texts[0])).toEqual(["query: x", "passage: x"]);
  });

  it("the key and the wanted dimensions travel, and an address with a query keeps it", async () => {
    const endpoint = await openEndpoint();
    const model = openTestModel(`${endpoint.url}/?api-version=1`, { dimensions: 3 }, { key: "sk-1" });
    await model.embed(["x"], "document");
    const { request, body } = endpoint.asked[0]!;
    expect(request.headers.authorization).toBe("Bearer sk-1");
    expect(request.url).toBe("/v1/embeddings?api-version=1");
    expect(body["dimensions"]).toBe(3);
  });

  it("dimensions are asked for once, and remembered over a restart", async () => {
    const endpoint = await openEndpoint();
    const cache = openTestCache();
    const model = openTestModel(endpoint.url, {}, { cache });
    expect([await model.dimensions(), await model.dimensions()]).toEqual([3, 3]);
    expect(await openTestModel(endpoint.url, {}, { cache }).dimensions()).toBe(3);
    expect(await openTestModel(endpoint.url, { dimensions: 7 }).dimensions()).toBe(7);
    expect(endpoint.asked).toHaveLength(1);
  });

  it("the fingerprint follows what changes a document's vector, not the address", async () => {
    const print = (over: object, url = "http://a/v1"): Promise<string> =>
      openTestModel(url, over).fingerprint();
    expect(await print({}, "http://b/v1")).toBe(await print({ queryPrefix: "q" }));
    const changes = [
      {},
      { model: "n" },
      { dimensions: 3 },
      { documentPrefix: "d: " },
      { provider: "ollama" },
    ];
    const others = await Promise.all(changes.map((over) => print(over)));
    expect(new Set(others).size).toBe(5);
    expect(openTestModel("http://a/v1").lastFingerprint()).toBe(others[0]);
  });

  it("dimensions that are asked for anew are those of the model that answers now", async () => {
    const endpoint = await openEndpoint();
    const model = openTestModel(endpoint.url);
    expect(await model.dimensions()).toBe(3);
    endpoint.next.push((asked) => send(asked, 200, { data: [{ embedding: [1, 2] }] }));
    expect(await model.dimensions(undefined, { anew: true })).toBe(2);
    expect(await model.dimensions()).toBe(2);
    expect(endpoint.asked).toHaveLength(2);
  });
});

describe("a batch that is too large", () => {
  const takesAtMost =
    (texts: number): Answer =>
    (asked) =>
      asked.texts.length > texts ? send(asked, 413, "Payload Too Large") : sendVectors(asked);
  const texts = Array.from({ length: 16 }, (_, at) => `text ${at}`);

  it("is halved until it passes, and later batches begin with that size", async () => {
    const endpoint = await openEndpoint(takesAtMost(4));
    const model = openTestModel(endpoint.url, { batchSize: 16 });
    expect(await model.embed(texts, "document")).toEqual(unitVectors(texts));
    expect(endpoint.asked.map((asked) => asked.texts.length).sort((a, b) => a - b)).toEqual([
      4, 4, 4, 4, 8, 8, 16,
    ]);
    endpoint.asked.length = 0;
    await model.embed(
      texts.map((text) => `more ${text}`),
      "document",
    );
    expect(endpoint.asked.map((asked) => asked.texts.length)).toEqual([4, 4, 4, 4]);
  });

  it("for the sake of one long text costs only that text, and the rest is kept", async () => {
    const endpoint = await openEndpoint((asked) => {
      const long = asked.texts.some((text) => text.length > 100);
      if (long) send(asked, 400, { error: { message: "This model's maximum context length is 100 tokens" } });
      else void sendVectors(asked);
    });
    const model = openTestModel(endpoint.url, { batchSize: 16 });
    const { kind, message } = await failureOf(model.embed([...texts, "x".repeat(101)], "document"));
    expect(kind).toBe("permanent");
    expect(message).toContain("the text has 101 characters: make the base's chunks smaller");
    endpoint.asked.length = 0;
    expect(await model.embed(texts, "document")).toEqual(unitVectors(texts));
    expect(endpoint.asked).toHaveLength(0);
    await model.embed(
      texts.map((text) => `more ${text}`),
      "document",
    );
    expect(endpoint.asked.map((asked) => asked.texts.length)).toEqual([16]);
  });
});

describe("what was paid for is kept", () => {
  const texts = ["a", "b", "c", "d", "e", "f"];

  it("K4.6 each embedded batch is kept as it arrives, so a failure later on pays none of it again", async () => {
    const endpoint = await openEndpoint((asked) => {
      if (asked.texts.includes("f")) send(asked, 401, {});
      else void sendVectors(asked);
    });
    const cache = openTestCache();
    await failureOf(
      openTestModel(endpoint.url, { batchSize: 2, maxConcurrent: 1 }, { cache }).embed(texts, "document"),
    );
    const restarted = await openEndpoint();
    expect(await openTestModel(restarted.url, { batchSize: 2 }, { cache }).embed(texts, "document")).toEqual(
      unitVectors(texts),
    );
    expect(restarted.asked.map(({ texts }) => texts)).toEqual([["e", "f"]]);
  });

  it("K4.6 what was on its way when another batch failed is waited for and kept", async () => {
    const endpoint = await openEndpoint();
    endpoint.next.push(
      (asked) => void setTimeout(() => void sendVectors(asked), 60),
      (asked) => send(asked, 401, {}),
    );
    const model = openTestModel(endpoint.url, { batchSize: 2, maxConcurrent: 2 });
    await failureOf(model.embed(texts, "document"));
    expect(endpoint.asked).toHaveLength(2);
    await model.embed(texts, "document");
    expect(endpoint.asked.slice(2).flatMap(({ texts }) => texts)).not.toContain(endpoint.asked[0]!.texts[0]);
  });

  it("an abort ends the call at once with its own reason, in mid-request and in a wait", async () => {
    const endpoint = await openEndpoint(() => undefined);
    const model = openTestModel(endpoint.url, { maxConcurrent: 1 });
    const running = new AbortController();
    const waiting = new AbortController();
    const first = model.embed(["x"], "document", running.signal);
    const second = model.embed(["y"], "document", waiting.signal);
    while (endpoint.asked.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    waiting.abort(new Error("no longer wanted"));
    await expect(second).rejects.toThrow("no longer wanted");
    running.abort(new Error("changed my mind"));
    await expect(first).rejects.toThrow("changed my mind");
    await expect(model.embed(["z"], "document", AbortSignal.abort(new Error("too late")))).rejects.toThrow(
      "too late",
    );
    expect(endpoint.asked).toHaveLength(1);
  });
});
