import { readFile } from "node:fs/promises";
import path from "node:path";
import type { OnnxHostInit } from "./contract.ts";
import type { ModelFolder } from "./model-folder.ts";
import { loadPackages, type OnnxRuntime, type OnnxSession, type OnnxTensor } from "./packages.ts";
import { poolVectors } from "./pooling.ts";
import { createEncoder, type TokenBatch } from "./token-batches.ts";

/** A loaded model. */
export interface EmbeddingSession {
  encode(text: string): readonly number[];
  /** One vector a text of the batch. Computes on this thread, without a turn in between. */
  run(batch: TokenBatch): Promise<Float32Array[]>;
}

/** Outputs that are a vector a text already, and those that are one a token. */
const SENTENCE = "sentence_embedding";
const TOKENS = ["last_hidden_state", "token_embeddings"];
const FILLED = ["input_ids", "attention_mask", "token_type_ids", "position_ids"];

/** Throws an Error that says what is missing or wrong. */
export async function openSession(init: OnnxHostInit, folder: ModelFolder): Promise<EmbeddingSession> {
  const { runtime, Tokenizer } = await loadPackages(init.packages);
  // WebAssembly's threads are set for all sessions.
  if (runtime.env?.wasm) runtime.env.wasm.numThreads = init.threads;
  const tokenizer = new Tokenizer(
    await parseFile(folder.tokenizerPath),
    await parseFile(path.join(init.folder, "tokenizer_config.json"), {}),
  );
  const session = await runtime.InferenceSession.create(folder.modelPath, {
    intraOpNumThreads: init.threads,
    interOpNumThreads: 1,
  });
  const output = outputOf(session, folder);
  const unknown = session.inputNames.filter((name) => !FILLED.includes(name));
  if (unknown.length > 0)
    throw new Error(
      `${folder.modelPath} wants ${unknown.join(", ")} beside a text's tokens: export it for feature extraction`,
    );
  const encode = createEncoder(tokenizer, folder.maxTokens);
  return {
    encode: (text) => {
      const ids = encode(text);
      // A text of no token at all has still one place, so that there is something to run.
      return ids.length > 0 ? ids : [0];
    },
    async run({ ids }) {
      const lengths = ids.map((one) => one.length);
      const result = (await session.run(feedsOf(runtime, session, ids)))[output];
      if (!result) throw new Error(`the model gave no ${output}`);
      const data = result.type === "float16" ? fromHalf(result.data) : result.data;
      return poolVectors({ dims: result.dims, data }, lengths, folder.pooling);
    },
  };
}

function outputOf({ outputNames }: OnnxSession, { hasDense, modelPath }: ModelFolder): string {
  if (outputNames.includes(SENTENCE)) return SENTENCE;
  if (hasDense)
    throw new Error(
      `${modelPath} lacks the layer that modules.json names behind the pooling: export it with its ${SENTENCE}`,
    );
  const output = TOKENS.find((name) => outputNames.includes(name)) ?? outputNames[0];
  if (output === undefined) throw new Error(`${modelPath} has no output`);
  return output;
}

/** What the model asks for, each `texts × longest`, filled up with zeros. */
function feedsOf(
  { Tensor }: OnnxRuntime,
  { inputNames, inputMetadata = [] }: OnnxSession,
  ids: readonly (readonly number[])[],
): Record<string, OnnxTensor> {
  const width = Math.max(...ids.map((one) => one.length));
  const valueOf: Readonly<Record<string, (text: number, at: number) => number>> = {
    input_ids: (text, at) => ids[text]![at]!,
    attention_mask: () => 1,
    token_type_ids: () => 0,
    position_ids: (_, at) => at,
  };
  const feeds = inputNames.map((name): [string, OnnxTensor] => {
    const value = valueOf[name]!;
    const isShort = inputMetadata.find((one) => one.name === name)?.type === "int32";
    const data = isShort ? new Int32Array(ids.length * width) : new BigInt64Array(ids.length * width);
    ids.forEach((one, text) => {
      for (let at = 0; at < one.length; at++) {
        const place = text * width + at;
        if (data instanceof Int32Array) data[place] = value(text, at);
        else data[place] = BigInt(value(text, at));
      }
    });
    return [name, new Tensor(isShort ? "int32" : "int64", data, [ids.length, width])];
  });
  return Object.fromEntries(feeds);
}

async function parseFile(file: string, missing?: unknown): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, "utf8")) as unknown;
  } catch (error) {
    if (missing !== undefined && (error as NodeJS.ErrnoException).code === "ENOENT") return missing;
    throw new Error(`${file} can't be read: ${(error as Error).message}`, { cause: error });
  }
}

/** IEEE 754 half precision, where it comes as 16-bit integers; runtimes that know the type give numbers. */
function fromHalf(data: ArrayLike<number>): ArrayLike<number> {
  if (!(data instanceof Uint16Array)) return data;
  return Float32Array.from(data, (bits) => {
    const sign = bits & 0x8000 ? -1 : 1;
    const exponent = (bits >> 10) & 0x1f;
    const fraction = bits & 0x3ff;
    if (exponent === 0) return sign * fraction * 2 ** -24;
    if (exponent === 0x1f) return fraction === 0 ? sign * Infinity : NaN;
    return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
  });
}
