import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import path from "node:path";
import type { OnnxDescription, OnnxHostInit, Pooling } from "./contract.ts";

/** A sentence model's folder, read. */
export interface ModelFolder extends OnnxDescription {
  readonly modelPath: string;
  readonly tokenizerPath: string;
  readonly pooling: Pooling;
  readonly maxTokens: number;
  /** It has a layer behind the pooling that only an export with its own sentence embedding contains. */
  readonly hasDense: boolean;
  /** Changes when a file that was hashed is written anew. */
  readonly stamp: string;
}

type Json = Readonly<Record<string, unknown>>;

const MAX_CONFIG_BYTES = 4 * 1024 * 1024;
const DEFAULT_TOKENS = 512;
/** Beyond it one text alone would take gigabytes; a larger limit has to be asked for. */
const MOST_TOKENS_UNASKED = 8192;
/** Where exporters put weights that are too large for the model's own file. */
const EXTERNAL = ["_data", ".data"];

/** Throws an Error that names the file and what is wrong with it. */
export async function readModelFolder(init: OnnxHostInit): Promise<ModelFolder> {
  const modelPath = await findModel(init);
  const tokenizerPath = path.join(init.folder, "tokenizer.json");
  if ((await sizeOf(tokenizerPath)) === null) throw new Error(`${init.folder} has no tokenizer.json`);
  const files = [modelPath, ...EXTERNAL.map((end) => modelPath + end), tokenizerPath];
  const stamp = await stampOf(files);
  const modules = await modulesOf(init.folder);
  const pooling = init.pooling ?? (await poolingOf(init.folder, modules));
  const maxTokens = init.maxTokens ?? (await maxTokensOf(init.folder));
  const hash = createHash("sha256").update(`${pooling} ${maxTokens}`);
  for (const file of files) if ((await sizeOf(file)) !== null) await hashFile(file, hash);
  return {
    modelPath,
    tokenizerPath,
    pooling,
    maxTokens,
    hasDense: modules.some(({ type }) => type.endsWith(".Dense")),
    stamp,
    hash: hash.digest("hex"),
    ...(await prefixesOf(init.folder)),
  };
}

/** Whether the files are the ones that were hashed. */
export async function isUnchanged({ modelPath, tokenizerPath, stamp }: ModelFolder): Promise<boolean> {
  return (await stampOf([modelPath, ...EXTERNAL.map((end) => modelPath + end), tokenizerPath])) === stamp;
}

async function findModel({ folder, modelFile }: OnnxHostInit): Promise<string> {
  const names = modelFile === null ? ["model.onnx", "onnx/model.onnx"] : [modelFile];
  for (const name of names) {
    const file = path.join(folder, name);
    if (path.relative(folder, file).startsWith("..")) throw new Error(`${name} is not inside ${folder}`);
    if ((await sizeOf(file)) !== null) return file;
  }
  if ((await sizeOf(folder)) === null) throw new Error(`there is no folder ${folder}`);
  const said = modelFile === null ? "neither model.onnx nor onnx/model.onnx" : `no ${modelFile}`;
  throw new Error(`${folder} has ${said}; set modelFile to the file that is there`);
}

async function modulesOf(folder: string): Promise<{ type: string; path: string }[]> {
  const modules: unknown = await readJson(path.join(folder, "modules.json"));
  if (!Array.isArray(modules)) return [];
  return (modules as unknown[]).map((one) => {
    const { type, path: place } = (one ?? {}) as Json;
    return { type: textOf(type), path: textOf(place) };
  });
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

async function poolingOf(folder: string, modules: { type: string; path: string }[]): Promise<Pooling> {
  const place = modules.find(({ type }) => type.endsWith(".Pooling"))?.path ?? "1_Pooling";
  const config = await readObject(path.join(folder, place, "config.json"));
  if (config === null) return "mean";
  const wanted = Object.keys(config).filter((key) => key.startsWith("pooling_mode_") && config[key] === true);
  const [mode] = wanted;
  const known: Readonly<Record<string, Pooling>> = {
    pooling_mode_mean_tokens: "mean",
    pooling_mode_cls_token: "cls",
    pooling_mode_lasttoken: "last",
  };
  const pooling = mode === undefined || wanted.length > 1 ? undefined : known[mode];
  if (pooling) return pooling;
  const list = wanted.join(", ") || "no pooling_mode that is true";
  throw new Error(`${folder}/${place}/config.json has ${list}: set pooling to mean, cls or last`);
}

async function maxTokensOf(folder: string): Promise<number> {
  const sentence = await readObject(path.join(folder, "sentence_bert_config.json"));
  const tokenizer = await readObject(path.join(folder, "tokenizer_config.json"));
  const model = await readObject(path.join(folder, "config.json"));
  const given = [
    sentence?.["max_seq_length"],
    tokenizer?.["model_max_length"],
    model?.["max_position_embeddings"],
  ];
  // Tokenizers without a limit say so with a number of thirty digits.
  const limits = given.filter((one): one is number => Number.isInteger(one) && (one as number) > 7);
  return Math.min(limits[0] ?? DEFAULT_TOKENS, MOST_TOKENS_UNASKED);
}

async function prefixesOf(folder: string): Promise<Pick<OnnxDescription, "queryPrefix" | "documentPrefix">> {
  const config = await readObject(path.join(folder, "config_sentence_transformers.json"));
  const prompts = (config?.["prompts"] ?? {}) as Json;
  const byName = (name: unknown): string | undefined => {
    const prompt = typeof name === "string" ? prompts[name] : undefined;
    return typeof prompt === "string" ? prompt : undefined;
  };
  const usual = byName(config?.["default_prompt_name"]) ?? "";
  return {
    queryPrefix: byName("query") ?? usual,
    documentPrefix: byName("document") ?? byName("passage") ?? usual,
  };
}

async function readObject(file: string): Promise<Json | null> {
  const value = await readJson(file);
  if (value === null) return null;
  if (typeof value !== "object" || Array.isArray(value)) throw new Error(`${file} is no JSON object`);
  return value as Json;
}

/** Null for a file that is not there. */
async function readJson(file: string): Promise<unknown> {
  const size = await sizeOf(file);
  if (size === null) return null;
  if (size > MAX_CONFIG_BYTES) throw new Error(`${file} is larger than ${MAX_CONFIG_BYTES} bytes`);
  try {
    return JSON.parse(await readFile(file, "utf8")) as unknown;
  } catch (error) {
    throw new Error(`${file} can't be read: ${(error as Error).message}`, { cause: error });
  }
}

async function sizeOf(file: string): Promise<number | null> {
  try {
    return (await stat(file)).size;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw new Error(`${file} can't be read: ${(error as Error).message}`, { cause: error });
  }
}

async function stampOf(files: readonly string[]): Promise<string> {
  const stamps = await Promise.all(
    files.map(async (file) => {
      if ((await sizeOf(file)) === null) return "";
      const { size, mtimeNs, ino } = await stat(file, { bigint: true });
      return `${size} ${mtimeNs} ${ino}`;
    }),
  );
  return stamps.join("|");
}

async function hashFile(file: string, hash: ReturnType<typeof createHash>): Promise<void> {
  for await (const chunk of createReadStream(file, { highWaterMark: 1024 * 1024 }))
    hash.update(chunk as Buffer);
}
