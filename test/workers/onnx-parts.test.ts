import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { OnnxHostInit } from "../../workers/embed/onnx/contract.ts";
import { isUnchanged, readModelFolder } from "../../workers/embed/onnx/model-folder.ts";
import { poolVectors } from "../../workers/embed/onnx/pooling.ts";
import { createEncoder, planRuns } from "../../workers/embed/onnx/token-batches.ts";
import { createTurns } from "../../workers/embed/onnx/turns.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { writeTinyModel } from "../support/tiny-onnx.ts";

type Options = Parameters<typeof writeTinyModel>[1];

function read(options: Options = {}, over: Partial<OnnxHostInit> = {}) {
  const folder = writeTinyModel(temporaryFolder(), options);
  const usual = { modelFile: null, pooling: null, maxTokens: null, threads: 1, packages: folder };
  return readModelFolder({ folder, ...usual, ...over });
}

describe("a sentence model's folder", () => {
  it("its hash follows its bytes, its tokenizer, and how it is used", async () => {
    const all = await Promise.all([
      read(),
      read({ scale: 2 }),
      read({ files: { "tokenizer.json": "{}" } }),
      read({ files: { "model.onnx_data": "weights" } }),
      read({}, { pooling: "cls" }),
      read({}, { maxTokens: 100 }),
    ]);
    expect(new Set(all.map(({ hash }) => hash)).size).toBe(6);
    expect((await read({ files: { "README.md": "other" } })).hash).toBe(all[0]?.hash);
    expect(await isUnchanged(all[0])).toBe(true);
  });

  it.each<[string, Options, object]>([
    ["nothing says anything", {}, { pooling: "mean", maxTokens: 512, queryPrefix: "", documentPrefix: "" }],
    [
      "the sentence's length stands before the tokenizer's",
      {
        files: {
          "sentence_bert_config.json": { max_seq_length: 256 },
          "tokenizer_config.json": { model_max_length: 384 },
        },
      },
      { maxTokens: 256 },
    ],
    [
      "a tokenizer without a limit",
      {
        files: {
          "tokenizer_config.json": { model_max_length: 1e30 },
          "config.json": { max_position_embeddings: 32_768 },
        },
      },
      { maxTokens: 8192 },
    ],
    [
      "modules name the pooling's folder",
      {
        files: {
          "modules.json": [{ type: "sentence_transformers.models.Pooling", path: "2_Pool" }],
          "2_Pool/config.json": { pooling_mode_lasttoken: true },
        },
      },
      { pooling: "last" },
    ],
    [
      "passage is a document's prompt",
      { files: { "config_sentence_transformers.json": { prompts: { query: "q: ", passage: "p: " } } } },
      { queryPrefix: "q: ", documentPrefix: "p: " },
    ],
    [
      "a prompt for all",
      {
        files: {
          "config_sentence_transformers.json": { prompts: { all: "t: " }, default_prompt_name: "all" },
        },
      },
      { queryPrefix: "t: ", documentPrefix: "t: " },
    ],
    [
      "prompts that are none",
      { files: { "config_sentence_transformers.json": { prompts: { query: 7 } } } },
      { queryPrefix: "" },
    ],
    [
      "the model lies deeper",
      { modelFile: "onnx/model.onnx" },
      { modelPath: expect.stringMatching(/onnx.model\.onnx$/) as string },
    ],
  ])("is taken as it says of itself: %s", async (_, options, expected) => {
    expect(await read(options)).toMatchObject(expected);
  });

  it.each<[string, Options, Partial<OnnxHostInit>, string]>([
    ["no tokenizer", { files: { "tokenizer.json": undefined } }, {}, "has no tokenizer.json"],
    [
      "no model",
      { modelFile: "other.onnx" },
      {},
      "has neither model.onnx nor onnx/model.onnx; set modelFile",
    ],
    ["not the file that is set", {}, { modelFile: "q8.onnx" }, "has no q8.onnx"],
    ["a file outside", {}, { modelFile: "../model.onnx" }, "../model.onnx is not inside"],
    ["a list for an object", { files: { "config.json": [] } }, {}, "config.json is no JSON object"],
    ["half of a file", { files: { "modules.json": '[{"type"' } }, {}, "modules.json can't be read"],
    ["a file without end", { files: { "config.json": " ".repeat(5_000_000) } }, {}, "is larger than"],
    [
      "two poolings at once",
      {
        files: { "1_Pooling/config.json": { pooling_mode_cls_token: true, pooling_mode_mean_tokens: true } },
      },
      {},
      "set pooling to mean, cls or last",
    ],
  ])("is refused with what is wrong: %s", async (_, options, over, words) => {
    await expect(read(options, over)).rejects.toThrow(words);
  });
});

describe("pooling", () => {
  const tokens = { dims: [2, 2, 2], data: [3, 4, 0, 0, 1, 0, 0, 1] };

  it("takes what is asked for of each text's own tokens, as a vector of length one", () => {
    const vectors = (...rows: number[][]) => rows.map((row) => Float32Array.from(row));
    const half = Math.SQRT1_2;
    expect(poolVectors(tokens, [1, 2], "mean")).toEqual(vectors([0.6, 0.8], [half, half]));
    expect(poolVectors(tokens, [1, 2], "cls")).toEqual(vectors([0.6, 0.8], [1, 0]));
    expect(poolVectors(tokens, [1, 2], "last")).toEqual(vectors([0.6, 0.8], [0, 1]));
    const sentences = { dims: [2, 2], data: [0, 2, 0, 0] };
    expect(poolVectors(sentences, [5, 1], "last")).toEqual(vectors([0, 1], [0, 0]));
  });

  it("refuses numbers that are none, and outputs of another shape", () => {
    expect(() => poolVectors({ dims: [1, 2], data: [NaN, 1] }, [1], "mean")).toThrow("no number");
    expect(() => poolVectors({ dims: [2], data: [1, 1] }, [1, 1], "mean")).toThrow("has the shape 2,");
    expect(() => poolVectors(tokens, [1], "mean")).toThrow("has the shape 2 × 2 × 2");
  });
});

describe("texts in runs of the model", () => {
  it("each text comes once, and no run is larger than what a query may wait for, unless one text alone is", () => {
    const texts = fc.array(fc.integer({ min: 1, max: 2000 }), { maxLength: 60 });
    fc.assert(
      fc.property(texts, (lengths) => {
        const encoded = lengths.map((length) => Array.from({ length }, () => 1));
        const runs = planRuns(encoded);
        const places = runs.flatMap((run) => run.places);
        expect(places.toSorted((a, b) => a - b)).toEqual(lengths.map((_, at) => at));
        for (const { ids } of runs) {
          const size = ids.length * Math.max(...ids.map((one) => one.length));
          expect(ids.length === 1 || size <= 1024).toBe(true);
        }
      }),
      { numRuns: 50 },
    );
  });

  it("a text that is too long is cut in front of the model's own marks", () => {
    const encode = (text: string, { add_special_tokens: marks = true } = {}) => {
      const own = Array.from(text, (one) => one.codePointAt(0)!);
      return { ids: marks ? [1, ...own, 2, 3] : own };
    };
    const cut = createEncoder({ encode }, 6);
    expect(cut("abc")).toEqual([1, 97, 98, 99, 2, 3]);
    expect(cut("abcdefgh")).toEqual([1, 97, 98, 99, 2, 3]);
    expect(createEncoder({ encode: () => ({ ids: [] }) }, 6)("abc")).toEqual([]);
  });

  it("urgent ones go before all that wait, and one that fails or is given up holds nobody", async () => {
    const turns = createTurns();
    const order: string[] = [];
    const never = new AbortController().signal;
    const take = (name: string, urgent: boolean, signal = never) =>
      turns.take(urgent, signal, async () => {
        order.push(name);
        await Promise.resolve();
        if (name === "bad") throw new Error("it is bad");
      });
    const all = [
      take("first", false),
      take("second", false),
      take("bad", false),
      take("gone", true, AbortSignal.abort(new Error("nobody waits"))),
      take("query", true),
    ];
    const settled = await Promise.allSettled(all);
    expect(order).toEqual(["first", "query", "second", "bad"]);
    expect(settled.map(({ status }) => status)).toEqual([
      "fulfilled",
      "fulfilled",
      "rejected",
      "rejected",
      "fulfilled",
    ]);
    await take("last", false);
    expect(order.at(-1)).toBe("last");
  });
});
