import { describe, expect, it } from "vitest";
import {
  closedUrl,
  failureOf,
  openEndpoint,
  openTestModel,
  send,
  unitVectors,
  type Answer,
} from "./endpoint.ts";

const status =
  (code: number, message = "", headers: Record<string, string> = {}): Answer =>
  (asked) =>
    send(asked, code, { error: { message } }, headers);

describe("trouble that passes is waited out within the call", () => {
  it.each<[string, Answer]>([
    ["500", status(500, "out of luck")],
    ["502 in HTML", (asked) => send(asked, 502, "<html>bad gateway</html>")],
    ["503 with Retry-After 0", status(503, "loading", { "retry-after": "0" })],
    ["429 with Retry-After in seconds", status(429, "slow down", { "retry-after": "0.02" })],
    ["429 with a date that is over", status(429, "", { "retry-after": "Wed, 21 Oct 2015 07:28:00 GMT" })],
    ["429 without a word", status(429)],
    ["JSON that breaks off", (asked) => send(asked, 200, '{"data": [{"index": 0, "embedding": [1, 2')],
    ["an error under a 200", (asked) => send(asked, 200, { error: "model is loading" })],
    ["too few vectors", (asked) => send(asked, 200, { data: [] })],
    [
      "too many vectors",
      (asked) => send(asked, 200, { data: [{ embedding: [1, 1, 1] }, { embedding: [1, 1, 1] }] }),
    ],
    ["a NaN", (asked) => send(asked, 200, '{"data": [{"index": 0, "embedding": [NaN, 1, 1]}]}')],
    ["a null among the numbers", (asked) => send(asked, 200, { data: [{ embedding: [null, 1, 1] }] })],
    ["a number too large", (asked) => send(asked, 200, '{"data": [{"embedding": [1e200, 1, 1]}]}')],
    ["an index out of range", (asked) => send(asked, 200, { data: [{ index: 1, embedding: [1, 1, 1] }] })],
    ["a connection that is reset", ({ request }) => void request.socket.resetAndDestroy()],
    [
      "a connection cut in the answer",
      ({ response, request }) => {
        response.writeHead(200, { "content-length": "1000" });
        response.write('{"data"', () => request.socket.destroy());
      },
    ],
  ])("%s", async (_, answer) => {
    const endpoint = await openEndpoint();
    endpoint.next.push(answer);
    expect(await openTestModel(endpoint.url).embed(["text"], "document")).toEqual(unitVectors(["text"]));
    expect(endpoint.asked).toHaveLength(2);
  });

  it("but not for ever: the failure is transient and says what was wrong", async () => {
    const endpoint = await openEndpoint(status(500, "gpu lost"));
    const { kind, message, retryAfterMs } = await failureOf(
      openTestModel(endpoint.url).embed(["x"], "document"),
    );
    expect([kind, retryAfterMs]).toEqual(["transient", null]);
    expect(message).toBe(`${endpoint.url} has trouble (500); it says: gpu lost`);
    expect(endpoint.asked).toHaveLength(4);
  });

  it("a pause longer than the call's patience is left to the queue, and holds back the next call too", async () => {
    const endpoint = await openEndpoint(status(429, "", { "retry-after": "90" }));
    const model = openTestModel(endpoint.url);
    const first = await failureOf(model.embed(["x"], "document"));
    expect([first.kind, first.retryAfterMs]).toEqual(["transient", 90_000]);
    const second = await failureOf(model.embed(["y"], "document"));
    expect(second.retryAfterMs).toBeGreaterThan(80_000);
    expect(endpoint.asked).toHaveLength(1);
  });

  it("a query is less patient than a document", async () => {
    const endpoint = await openEndpoint(status(500));
    await failureOf(openTestModel(endpoint.url).embed(["x"], "query"));
    expect(endpoint.asked).toHaveLength(2);
  });

  it("a used-up quota is not asked for again soon", async () => {
    const body = { error: { message: "You exceeded your quota", code: "insufficient_quota" } };
    const endpoint = await openEndpoint((asked) => send(asked, 429, body));
    const { kind, retryAfterMs, message } = await failureOf(
      openTestModel(endpoint.url).embed(["x"], "document"),
    );
    expect([kind, retryAfterMs, endpoint.asked.length]).toEqual(["transient", 600_000, 1]);
    expect(message).toContain("quota is used up");
  });

  it("an endpoint that does not answer is left after timeoutMs", async () => {
    const endpoint = await openEndpoint();
    endpoint.next.push(() => undefined);
    expect(await openTestModel(endpoint.url, { timeoutMs: 1000 }).embed(["x"], "document")).toEqual(
      unitVectors(["x"]),
    );
  });

  it("nobody listening is transient, with a sentence about it", async () => {
    const { kind, message } = await failureOf(openTestModel(await closedUrl()).embed(["x"], "query"));
    expect(kind).toBe("transient");
    expect(message).toContain("can't be reached: nothing listens there; is the server running?");
  });
});

describe("what will not pass is said at once, with what to check", () => {
  it.each<[string, Answer, string | null, string]>([
    [
      "401 without a key",
      status(401, "no key"),
      null,
      "wants a key (401): set apiKeyEnv or apiKeyFile of m; it says: no key",
    ],
    [
      "401 with a key",
      status(401, "bad key sk-9"),
      "sk-9",
      "refuses the key (401): check what apiKeyEnv or apiKeyFile of m holds; it says: bad key …",
    ],
    ["403", status(403), "sk-9", "refuses the key (403)"],
    [
      "404",
      status(404),
      null,
      "knows no model test-model, or has no /embeddings (404): check url and model of m",
    ],
    [
      "400",
      status(400, "input is not allowed"),
      null,
      "refuses the request (400); it says: input is not allowed",
    ],
    [
      "400 about dimensions",
      status(400, "dimensions exceeds the maximum"),
      null,
      "refuses the request (400)",
    ],
    [
      "a redirect",
      (asked) => send(asked, 302, "", { location: "http://example.invalid/" }),
      null,
      "sends callers elsewhere (302)",
    ],
  ])("%s", async (_, answer, key, words) => {
    const endpoint = await openEndpoint(answer);
    const model = openTestModel(endpoint.url, { batchSize: 4 }, { key });
    const { kind, message } = await failureOf(model.embed(["x", "y"], "document"));
    expect(kind).toBe("permanent");
    expect(message).toContain(words);
    expect(message).not.toContain("sk-9");
    expect(endpoint.asked).toHaveLength(1);
  });

  it("a port that fetch does not call", async () => {
    const { kind, message } = await failureOf(
      openTestModel("http://127.0.0.1:6000/v1").embed(["x"], "document"),
    );
    expect(kind).toBe("permanent");
    expect(message).toContain("its port belongs to another protocol");
  });

  it("vectors of another length than before", async () => {
    const endpoint = await openEndpoint();
    const model = openTestModel(endpoint.url);
    await model.embed(["x"], "document");
    endpoint.next.push((asked) => send(asked, 200, { data: [{ embedding: [1, 2] }] }));
    const { kind, message } = await failureOf(model.embed(["y"], "document"));
    expect(kind).toBe("permanent");
    expect(message).toContain("m gives vectors of 2 numbers where 3 are expected");
  });
});
