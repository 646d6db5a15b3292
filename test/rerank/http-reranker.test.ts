import { describe, expect, it } from "vitest";
import { RerankFailure } from "../../daemon/rerank/reranker.ts";
import { closedUrl, openEndpoint, send, type Answer } from "../embedding/endpoint.ts";
import { openTestReranker, sendScores } from "./reranking-endpoint.ts";

const texts = ["long ago", "ten words", "x"];
const byLength = sendScores((text) => text.length / 10);
const never = new AbortController().signal;

async function failureOf(promise: Promise<unknown>): Promise<string> {
  const reason = await promise.then(
    () => null,
    (error: unknown) => error,
  );
  expect(reason).toBeInstanceOf(RerankFailure);
  return (reason as RerankFailure).message;
}

describe("what is sent and what comes back", () => {
  it("the /v1/rerank shape: query, documents and key go, scores come in the order of the texts", async () => {
    const endpoint = await openEndpoint(byLength);
    const reranker = openTestReranker(endpoint.url, {}, "sk-1");
    expect(await reranker.score("when", texts, never)).toEqual([0.8, 0.9, 0.1]);
    const { request, body } = endpoint.asked[0]!;
    expect(request.url).toBe("/v1/rerank");
    expect(request.headers.authorization).toBe("Bearer sk-1");
    expect(body).toEqual({
      model: "test-model",
      query: "when",
      documents: texts,
      top_n: 3,
      return_documents: false,
    });
  });

  it("the shape of text-embeddings-inference, which has no model", async () => {
    const endpoint = await openEndpoint((asked) =>
      send(
        asked,
        200,
        asked.texts.map((text, index) => ({ index, score: text.length / 10 })),
      ),
    );
    const reranker = openTestReranker(new URL(endpoint.url).origin, { provider: "tei" });
    expect(await reranker.score("when", texts, never)).toEqual([0.8, 0.9, 0.1]);
    expect(endpoint.asked[0]?.request.url).toBe("/rerank");
    expect(endpoint.asked[0]?.body).toEqual({ query: "when", texts, truncate: true, return_text: false });
  });

  it("nothing is sent for no texts", async () => {
    const endpoint = await openEndpoint(byLength);
    expect(await openTestReranker(endpoint.url).score("when", [], never)).toEqual([]);
    expect(endpoint.asked).toEqual([]);
  });

  it("K9.3 a server's numbers without bounds become 0 to 1, from the first of them on", async () => {
    const endpoint = await openEndpoint(sendScores((text) => (text === "x" ? 0 : -8)));
    const reranker = openTestReranker(endpoint.url);
    const [low, , middle] = await reranker.score("when", texts, never);
    expect(low).toBeCloseTo(0.000335, 6);
    expect(middle).toBe(0.5);
    expect(await reranker.score("when", ["x"], never)).toEqual([0.5]);
  });
});

const results =
  (list: unknown): Answer =>
  (asked) =>
    send(asked, 200, { results: list });
const fine = [0, 1, 2].map((index) => ({ index, relevance_score: 0.5 }));

describe("an answer that is none", () => {
  it.each<[string, Answer, string]>([
    ["too few scores", results(fine.slice(1)), "2 scores for 3 texts"],
    ["too many scores", results([...fine, fine[0]]), "4 scores for 3 texts"],
    ["two scores for one text", results([fine[0], fine[1], fine[1]]), "two scores for text 1"],
    [
      "a score for a text that was not sent",
      results([fine[0], fine[1], { index: 3, relevance_score: 1 }]),
      "not sent",
    ],
    ["a fraction for an index", results([fine[0], fine[1], { index: 1.5, relevance_score: 1 }]), "not sent"],
    ["an index below zero", results([fine[0], fine[1], { index: -1, relevance_score: 1 }]), "not sent"],
    ["an entry that is null", results([fine[0], fine[1], null]), "not sent"],
    ["a score that is missing", results([fine[0], fine[1], { index: 2 }]), "no number"],
    ["a score in quotes", results([fine[0], fine[1], { index: 2, relevance_score: "1" }]), "no number"],
    [
      "a NaN",
      (asked) => send(asked, 200, '{"results":[{"index":0,"relevance_score":NaN}]}'),
      "no valid JSON",
    ],
    [
      "no end of numbers",
      (asked) => send(asked, 200, '{"results":[{"index":0,"relevance_score":1e999}]}'),
      "1 scores for 3",
    ],
    ["no list", results({ 0: 1 }), "no list of scores"],
    [
      "an error under a 200",
      (asked) => send(asked, 200, { error: "loading sk-9" }),
      "an error in place of scores: loading …",
    ],
    ["JSON that breaks off", (asked) => send(asked, 200, '{"results":[{"ind'), "no valid JSON"],
    ["HTML", (asked) => send(asked, 200, "<html></html>"), "no valid JSON"],
    ["ten megabytes of garbage", (asked) => send(asked, 200, "x".repeat(10_000_000)), "is larger than"],
    [
      "a stream that is cut",
      ({ response, request }) => {
        response.writeHead(200, { "content-length": "1000" });
        response.write('{"results"', () => request.socket.destroy());
      },
      "can't be reached",
    ],
    ["500", (asked) => send(asked, 500, { error: "gpu lost" }), "has trouble (500); it says: gpu lost"],
    ["401", (asked) => send(asked, 401, {}), "refuses the key (401)"],
    ["404", (asked) => send(asked, 404, {}), "has no /rerank, or knows no model test-model (404)"],
    [
      "a redirect",
      (asked) => send(asked, 302, "", { location: "http://example.invalid/" }),
      "sends callers elsewhere",
    ],
  ])(
    "%s is a failure with its reason, and the endpoint is left alone for a while",
    async (_, answer, words) => {
      const endpoint = await openEndpoint(answer);
      const reranker = openTestReranker(endpoint.url, {}, "sk-9");
      const message = await failureOf(reranker.score("when", texts, never));
      expect(message).toContain(words);
      expect(message).not.toContain("sk-9");
      const asked = endpoint.asked.length;
      expect(await failureOf(reranker.score("when", texts, never))).toContain("it is asked again in 2 s");
      expect(endpoint.asked).toHaveLength(asked);
    },
  );
});

describe("trouble", () => {
  it("that passes at once is tried once more within the call", async () => {
    const endpoint = await openEndpoint(byLength);
    endpoint.next.push(({ request }) => void request.socket.resetAndDestroy());
    const reranker = openTestReranker(endpoint.url);
    expect(await reranker.score("when", texts, never)).toEqual([0.8, 0.9, 0.1]);
    expect(endpoint.asked).toHaveLength(2);
  });

  it("a Retry-After that is longer than a searcher's patience is not waited for, and kept", async () => {
    const endpoint = await openEndpoint((asked) => send(asked, 429, {}, { "retry-after": "30" }));
    const reranker = openTestReranker(endpoint.url);
    expect(await failureOf(reranker.score("when", texts, never))).toContain("asks for fewer requests (429)");
    expect(await failureOf(reranker.score("when", texts, never))).toContain("asked again in 30 s");
    expect(endpoint.asked).toHaveLength(1);
  });

  it("an endpoint that does not answer is left after timeoutMs", async () => {
    const endpoint = await openEndpoint(() => undefined);
    const reranker = openTestReranker(endpoint.url, { timeoutMs: 100 });
    expect(await failureOf(reranker.score("when", texts, never))).toContain("no answer within 100 ms");
    expect(endpoint.asked).toHaveLength(1);
  });

  it("a search that has little time is told so, and holds nothing against the endpoint", async () => {
    const endpoint = await openEndpoint(byLength);
    endpoint.next.push(() => undefined);
    const reranker = openTestReranker(endpoint.url);
    expect(await failureOf(reranker.score("when", texts, AbortSignal.timeout(50)))).toContain(
      "no answer within",
    );
    expect(await reranker.score("when", texts, never)).toEqual([0.8, 0.9, 0.1]);
  });

  it("who goes away gets their own reason, and the endpoint is asked by the next", async () => {
    const endpoint = await openEndpoint(byLength);
    endpoint.next.push(() => undefined);
    const reranker = openTestReranker(endpoint.url);
    const gone = new AbortController();
    const waiting = reranker.score("when", texts, gone.signal);
    while (endpoint.asked.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    gone.abort(new Error("changed my mind"));
    await expect(waiting).rejects.toThrow("changed my mind");
    expect(await reranker.score("when", texts, never)).toEqual([0.8, 0.9, 0.1]);
  });

  it("nobody listening is said as such", async () => {
    const reranker = openTestReranker(await closedUrl());
    expect(await failureOf(reranker.score("when", texts, never))).toContain("nothing listens there");
  });
});
