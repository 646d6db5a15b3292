import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { vectorsOfAnswer } from "../../daemon/embedding/openai-answer.ts";
import {
  failureOf,
  openEndpoint,
  openTestModel,
  send,
  sendVectors,
  unitVectors,
  vectorFor,
  type Answer,
} from "./endpoint.ts";

const inBase64 = (numbers: readonly number[]): string =>
  Buffer.from(Float32Array.from(numbers).buffer).toString("base64");

const sendBase64: Answer = (asked) => {
  const data = asked.texts.map((text, index) => ({ index, embedding: inBase64(vectorFor(text)) }));
  send(asked, 200, { object: "list", data });
};

const encodings = (asked: readonly { readonly body: Readonly<Record<string, unknown>> }[]): unknown[] =>
  asked.map(({ body }) => body["encoding_format"]);

describe("vectors", () => {
  it("are asked for in base64, and taken as what they come in", async () => {
    const endpoint = await openEndpoint(sendBase64);
    const texts = ["a", "bb", "ccc"];
    expect(await openTestModel(endpoint.url).embed(texts, "document")).toEqual(unitVectors(texts));
    // Many servers pass over what they don't know.
    endpoint.next.push(sendVectors);
    expect(await openTestModel(endpoint.url).embed(texts, "document")).toEqual(unitVectors(texts));
    expect(encodings(endpoint.asked)).toEqual(["base64", "base64"]);
  });

  it.each([
    [400, { error: { message: "encoding_format must be float" } }],
    [422, { detail: [{ loc: ["body", "encoding_format"], msg: "Extra inputs are not permitted" }] }],
    [400, "base64 is not supported"],
  ])("are asked for as numbers from then on where base64 is refused (%i %o)", async (status, refusal) => {
    const endpoint = await openEndpoint((asked) => {
      if (asked.body["encoding_format"] === undefined) void sendVectors(asked);
      else send(asked, status, refusal);
    });
    const model = openTestModel(endpoint.url);
    expect(await model.embed(["a"], "document")).toEqual(unitVectors(["a"]));
    expect(await model.embed(["b"], "document")).toEqual(unitVectors(["b"]));
    expect(encodings(endpoint.asked)).toEqual(["base64", undefined, undefined]);
  });

  it("are not asked for twice when something else is refused", async () => {
    const endpoint = await openEndpoint((asked) => send(asked, 400, { error: { message: "not this one" } }));
    const failure = await failureOf(openTestModel(endpoint.url).embed(["a"], "document"));
    expect(failure.message).toContain("not this one");
    expect(endpoint.asked).toHaveLength(1);
  });

  it.each([
    ["no base64", '{"data":[{"embedding":"!!!!"}]}', "no base64"],
    ["empty", '{"data":[{"embedding":""}]}', "no base64"],
    ["cut in the middle of a number", '{"data":[{"embedding":"AACAPwA="}]}', "no base64"],
    ["numbers that are none", `{"data":[{"embedding":"${inBase64([NaN])}"}]}`, "too large"],
    ["a list in a list", '{"data":[{"embedding":[[1,2]]}]}', "no number"],
    ["a list without end", '{"data":[{"embedding":[1,2', "no valid JSON"],
    ["words", '{"data":[{"embedding":["1"]}]}', "no number"],
    ["nothing in it", '{"data":[{"embedding":[]}]}', "without a vector"],
    ["a number", '{"data":[{"embedding":0}]}', "without a vector"],
    ["null", '{"data":[{"embedding":null}]}', "without a vector"],
    ["missing", '{"data":[{}]}', "without a vector"],
    ["no JSON behind its numbers", '{"data":[{"embedding":[1]}', "no valid JSON"],
  ])("that are malformed are told: %s", async (_, body, message) => {
    await expect(vectorsOfAnswer(body, 1)).rejects.toThrow(message);
  });

  it("are found whatever stands around them", async () => {
    const body = String.raw`{"note":"\"embedding\": [9] and \"data\"","usage":{"embedding" : "none"},
      "data":[ {"index":1,"embedding" :
        [0, -2e0 ] }, {"text":"]}","embedding":[3,4],"index":0} ]}`;
    expect(await vectorsOfAnswer(body, 2)).toEqual([
      Float32Array.from([3 / 5, 4 / 5]),
      Float32Array.from([0, -1]),
    ]);
  });

  it("as many numbers leave the event loop its turns", async () => {
    const embedding = Array.from({ length: 3072 }, (_, at) => Math.sin(at) / 7);
    const body = JSON.stringify({ data: Array.from({ length: 256 }, () => ({ embedding })) });
    let turns = 0;
    const reading = vectorsOfAnswer(body, 256).finally(() => (turns = -turns));
    while (turns >= 0 && turns < 10_000) {
      await turn();
      if (turns >= 0) turns++;
    }
    expect(await reading).toHaveLength(256);
    expect(turns).toBeLessThan(-3);
  });
});
