import { describe, expect, it } from "vitest";
import { createQueryVectors } from "../../daemon/search/query-vectors.ts";
import {
  openEndpoint,
  openTestModel,
  send,
  sendVectors,
  unitVectors,
  type Answer,
} from "../embedding/endpoint.ts";

const never = new AbortController().signal;

/** A model whose own cache knows nothing, so that each question to it reaches the endpoint. */
async function start(usual: Answer = sendVectors) {
  const endpoint = await openEndpoint(usual);
  const clock = { now: 0 };
  const vectors = createQueryVectors(() => clock.now);
  const ask = (
    query: string,
    { fingerprint = "f", dimensions = 3, signal = never } = {},
  ): Promise<Float32Array> =>
    vectors.vectorOf(
      { model: openTestModel(endpoint.url), fingerprint, dimensions, text: query, purpose: "query" },
      signal,
    );
  const texts = (): string[] => endpoint.asked.flatMap((asked) => asked.texts);
  return { endpoint, ask, texts, clock };
}

describe("vectors of queries", () => {
  it("the same query is asked for once, of another model again, and each time where it does not fit the base", async () => {
    const { ask, texts } = await start();
    for (let time = 0; time < 3; time++) expect(await ask("keys")).toEqual(unitVectors(["keys"])[0]);
    await ask("locks");
    await ask("keys", { fingerprint: "g" });
    await ask("keys", { dimensions: 4 });
    await ask("keys", { dimensions: 4 });
    expect(texts()).toEqual(["keys", "locks", "keys", "keys", "keys"]);
  });

  it("searches that come together share one question, and one that goes away takes nothing from the others", async () => {
    const { ask, texts } = await start((asked) => void setTimeout(() => void sendVectors(asked), 50));
    const gone = new AbortController();
    const leaving = ask("keys", { signal: gone.signal });
    const staying = [ask("keys"), ask("keys")];
    gone.abort(new Error("changed my mind"));
    await expect(leaving).rejects.toThrow("changed my mind");
    for (const vector of await Promise.all(staying)) expect(vector).toEqual(unitVectors(["keys"])[0]);
    expect(texts()).toEqual(["keys"]);
  });

  it("when nobody waits any more the question is taken back, and the next search asks anew", async () => {
    const { endpoint, ask, texts } = await start();
    let isCut = false;
    endpoint.next.push(({ response }) => void response.once("close", () => (isCut = true)));
    const gone = new AbortController();
    const leaving = ask("keys", { signal: gone.signal });
    while (endpoint.asked.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    gone.abort(new Error("changed my mind"));
    await expect(leaving).rejects.toThrow("changed my mind");
    expect(await ask("keys")).toEqual(unitVectors(["keys"])[0]);
    expect([isCut, texts()]).toEqual([true, ["keys", "keys"]]);
  });

  it("what was not asked for longest is forgotten when 8 MiB are full; very long queries are not kept", async () => {
    const wide = Array.from({ length: 16_384 }, (_, at) => at + 1);
    const { ask: askFor, texts } = await start((asked) =>
      send(asked, 200, { data: asked.texts.map(() => ({ embedding: wide })) }),
    );
    const ask = (query: string) => askFor(query, { dimensions: wide.length });
    const queries = Array.from({ length: 127 }, (_, at) => `query ${at}`);
    for (const query of queries) await ask(query);
    await ask("query 0");
    await ask("one more");
    const before = texts().length;
    await ask("query 0");
    expect(texts()).toHaveLength(before);
    await ask("query 1");
    expect(texts()).toHaveLength(before + 1);
    await ask("long ".repeat(300));
    await ask("long ".repeat(300));
    expect(texts()).toHaveLength(before + 3);
  });

  it("an endpoint that failed is left alone for two seconds; what one query is refused says nothing of others", async () => {
    const { endpoint, ask, clock } = await start();
    endpoint.next.push((asked) => send(asked, 400, { error: { message: "not this one" } }));
    await expect(ask("bad")).rejects.toThrow("not this one");
    await ask("good");
    endpoint.next.push(...[1, 2].map((): Answer => (asked) => send(asked, 500, {})));
    await expect(ask("keys")).rejects.toThrow("has trouble (500)");
    const asked = endpoint.asked.length;
    await expect(ask("locks")).rejects.toThrow("has trouble (500); it is asked again in 2 s");
    expect(await ask("good")).toEqual(unitVectors(["good"])[0]);
    expect(endpoint.asked).toHaveLength(asked);
    clock.now += 2000;
    expect(await ask("locks")).toEqual(unitVectors(["locks"])[0]);
  });
});
