import { createRequire } from "node:module";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { embeddingSection } from "../../config/embedding-schema.ts";
import { locations } from "../../config/locations.ts";
import { openEmbeddingModels } from "../../daemon/embedding/models.ts";
import type { EmbeddingModel } from "../../daemon/embedding/provider.ts";
import { openLog } from "../../daemon/runtime/log.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { tinyRow, writeTinyModel } from "../support/tiny-onnx.ts";
import { failureOf, openTestCache } from "./endpoint.ts";

/** A folder in which the packages are installed that run ONNX models; they are no dependencies. */
const packages = process.env["KNOWD_TEST_ONNX"] ?? path.dirname(import.meta.dirname);
function isThere(name: string): boolean {
  try {
    createRequire(path.join(packages, "package.json")).resolve(name);
    return true;
  } catch {
    return false;
  }
}
const hasRuntime = isThere("onnxruntime-node") || isThere("onnxruntime-web");
const isInstalled = hasRuntime && isThere("@huggingface/tokenizers");
if (!isInstalled)
  process.stderr.write(
    "tests with a real ONNX model are skipped: install onnxruntime-node and @huggingface/tokenizers and name their folder in KNOWD_TEST_ONNX\n",
  );

interface Opened {
  readonly model: EmbeddingModel;
  readonly folder: string;
}

/** The model behind its real host, with a cache that knows nothing. */
function open(
  over: object = {},
  options: Parameters<typeof writeTinyModel>[1] & { packages?: string } = {},
): Opened {
  const folder = writeTinyModel(temporaryFolder(), options);
  const models = openEmbeddingModels({
    config: embeddingSection.parse({
      models: [{ id: "tiny", provider: "onnx", folder, ...over }],
      onnxPackages: options.packages ?? packages,
    }),
    files: locations.embeddedModel,
    workerHost: { run: () => Promise.reject(new Error("the embedded model is not asked here")) },
    apiKey: () => Promise.resolve(null),
    cache: openTestCache(),
    log: openLog({ level: "silent" }),
    now: Date.now,
  });
  onTestFinished(() => models.close());
  return { model: models.get("tiny")!, folder };
}

/** The mean of these words' rows, of length one. */
function meanOf(words: readonly string[]): number[] {
  const rows = words.map(tinyRow);
  const sum = rows[0]!.map((_, at) => rows.reduce((total, row) => total + row[at]!, 0));
  const length = Math.sqrt(sum.reduce((total, value) => total + value * value, 0));
  return sum.map((value) => value / length);
}

function rounded(vector: ArrayLike<number> | undefined): number[] {
  return Array.from(vector ?? [], (value) => Math.round(value * 10_000) / 10_000 + 0);
}

describe("a model in a folder whose packages are not installed", () => {
  it("is known by its fingerprint all the same, and says the one command that installs them", async () => {
    const nowhere = temporaryFolder();
    const { model } = open({}, { packages: nowhere });
    expect(await model.fingerprint()).toMatch(/^onnx\/[0-9a-f]{16}$/);
    const { kind, message } = await failureOf(model.embed(["keys"], "document"));
    expect(kind).toBe("permanent");
    expect(message).toContain(
      `npm install --ignore-scripts --prefix "${nowhere}" onnxruntime-node @huggingface/tokenizers`,
    );
  });

  it("its fingerprint names the dimensions and the document prefix that are set", async () => {
    const { model } = open({ documentPrefix: "passage: ", queryPrefix: "query: ", dimensions: 2 });
    expect(await model.fingerprint()).toMatch(/^onnx\/[0-9a-f]{16}@2#[0-9a-f]{8}$/);
    expect(model.lastFingerprint()).toBe(await model.fingerprint());
  });

  it("a folder that is not there is said as such", async () => {
    const missing = path.join(temporaryFolder(), "none");
    expect((await failureOf(open({ folder: missing }).model.fingerprint())).message).toContain(
      `there is no folder ${missing}`,
    );
  });
});

describe.runIf(isInstalled)("a model in a folder", () => {
  it("gives each text the mean of its tokens, marks included, in the order of the texts, however many", async () => {
    const { model } = open({ batchSize: 3 });
    const texts = ["keys", "lock rain lock", "doors", "", "rain", "unheard of", "keys ".repeat(300)];
    const vectors = await model.embed(texts, "document");
    const tokens = [["keys"], ["lock", "rain", "lock"], ["door", "##s"], [], ["rain"], ["[UNK]", "[UNK]"]];
    tokens.forEach((words, at) =>
      expect(rounded(vectors[at])).toEqual(rounded(meanOf(["[CLS]", ...words, "[SEP]"]))),
    );
    expect(rounded(vectors[6])).toEqual(
      rounded(meanOf(["[CLS]", ...Array.from({ length: 300 }, () => "keys"), "[SEP]"])),
    );
    expect(await model.dimensions()).toBe(4);
  });

  it.each([
    ["cls", "[CLS]"],
    ["last", "[SEP]"],
  ])("takes %s pooling from the folder", async (mode, word) => {
    const key = mode === "cls" ? "pooling_mode_cls_token" : "pooling_mode_lasttoken";
    const { model } = open(
      {},
      { files: { "1_Pooling/config.json": { [key]: true, pooling_mode_mean_tokens: false } } },
    );
    const [vector] = await model.embed(["keys lock", "rain"], "document");
    expect(rounded(vector)).toEqual(rounded(meanOf([word])));
  });

  it("takes prefixes and the length that counts from the folder, and both from the configuration before that", async () => {
    const files = {
      "config_sentence_transformers.json": { prompts: { query: "query: ", document: "door " } },
      "sentence_bert_config.json": { max_seq_length: 8 },
    };
    const { model } = open({}, { files, modelFile: "onnx/model.onnx" });
    const [query] = await model.embed(["keys"], "query");
    expect(rounded(query)).toEqual(rounded(meanOf(["[CLS]", "query", ":", "keys", "[SEP]"])));
    const [document] = await model.embed([`${"keys ".repeat(20)}rain`], "document");
    expect(rounded(document)).toEqual(
      rounded(meanOf(["[CLS]", "door", "keys", "keys", "keys", "keys", "keys", "[SEP]"])),
    );
    const set = open({ queryPrefix: "", maxTokens: 9 }, { files }).model;
    expect(rounded((await set.embed(["keys ".repeat(20)], "query"))[0])).toEqual(
      rounded(meanOf(["[CLS]", ...Array.from({ length: 7 }, () => "keys"), "[SEP]"])),
    );
  });

  it("gives only the first numbers where fewer dimensions are asked for", async () => {
    const { model } = open({ dimensions: 2 });
    const [x, y] = meanOf(["[CLS]", "keys", "[SEP]"]) as [number, number];
    const [vector] = await model.embed(["keys"], "document");
    expect(rounded(vector)).toEqual(rounded([x / Math.hypot(x, y), y / Math.hypot(x, y)]));
    expect(await model.dimensions()).toBe(2);
  });

  it("a query does not wait behind documents", async () => {
    const { model } = open({ batchSize: 256 });
    await model.embed(["rain"], "query");
    const texts = Array.from(
      { length: 2000 },
      (_, at) => `keys lock ${"rain ".repeat(60)} ${"door ".repeat(at % 50)}`,
    );
    const order: string[] = [];
    const documents = model.embed(texts, "document").then(() => order.push("documents"));
    await model.embed(["keys"], "query").then(() => order.push("query"));
    await documents;
    expect(order).toEqual(["query", "documents"]);
  });

  it("another model in its folder is noticed in mid-run: nothing of it is given for the old one", async () => {
    const { model, folder } = open();
    await model.embed(["keys"], "document");
    const before = await model.fingerprint();
    writeTinyModel(folder, { scale: -3 });
    const { kind, message } = await failureOf(model.embed(["rain"], "document"));
    expect([kind, message]).toEqual([
      "transient",
      expect.stringContaining("holds another model than before"),
    ]);
    expect(await model.fingerprint()).not.toBe(before);
    const [vector] = await model.embed(["rain"], "document");
    expect(rounded(vector)).toEqual(rounded(meanOf(["[CLS]", "rain", "[SEP]"]).map((value) => -value)));
  });

  it.each<[string, Parameters<typeof writeTinyModel>[1], string]>([
    ["a tokenizer that is none", { files: { "tokenizer.json": "{" } }, "tokenizer.json can't be read"],
    [
      "a pooling that is not known",
      { files: { "1_Pooling/config.json": { pooling_mode_max_tokens: true } } },
      "set pooling to mean, cls or last",
    ],
    [
      "a layer that is not in it",
      { files: { "modules.json": [{ type: "sentence_transformers.models.Dense", path: "2_Dense" }] } },
      "lacks the layer that modules.json names",
    ],
    ["numbers that are none", { scale: Infinity }, "something that is no number"],
  ])("%s is said with what to do", async (_, options, words) => {
    const { model } = open({}, options);
    const { kind, message } = await failureOf(model.embed(["keys"], "document"));
    expect(kind).toBe("permanent");
    expect(message).toContain(words);
  });

  it("a file that is no model is a failure, not a crash", async () => {
    const { model } = open({}, { files: { "broken.onnx": "no protobuf at all" } });
    const broken = open(
      { modelFile: "broken.onnx" },
      { files: { "broken.onnx": "no protobuf at all" } },
    ).model;
    expect((await failureOf(broken.embed(["keys"], "document"))).kind).toBe("permanent");
    expect(await model.embed(["keys"], "document")).toHaveLength(1);
  });
});
