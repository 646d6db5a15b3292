import { createRequire } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";

/** The parts of the runtime's interface that are used here. */
export interface OnnxTensor {
  readonly type: string;
  readonly dims: readonly number[];
  readonly data: ArrayLike<number>;
}
export interface OnnxSession {
  readonly inputNames: readonly string[];
  readonly outputNames: readonly string[];
  readonly inputMetadata?: readonly { readonly name: string; readonly type?: string }[];
  run(feeds: Readonly<Record<string, OnnxTensor>>): Promise<Record<string, OnnxTensor>>;
}
export interface OnnxRuntime {
  readonly InferenceSession: {
    create(model: string, options: Readonly<Record<string, unknown>>): Promise<OnnxSession>;
  };
  readonly Tensor: new (
    type: string,
    data: BigInt64Array | Int32Array,
    dims: readonly number[],
  ) => OnnxTensor;
  readonly env?: { readonly wasm?: { numThreads?: number } };
}
export interface TextTokenizer {
  encode(text: string, options?: { add_special_tokens?: boolean }): { readonly ids: readonly number[] };
}
export type TokenizerClass = new (tokenizer: unknown, config: unknown) => TextTokenizer;

const RUNTIMES = ["onnxruntime-node", "onnxruntime-web"];
const TOKENIZERS = "@huggingface/tokenizers";

/** Loads what the user installed. Throws an Error with the command that installs what is missing. */
export async function loadPackages(
  folder: string,
): Promise<{ runtime: OnnxRuntime; Tokenizer: TokenizerClass }> {
  const runtime = RUNTIMES.map((name) => find(folder, name)).find((file) => file !== null);
  const tokenizers = find(folder, TOKENIZERS);
  if (!runtime || !tokenizers) {
    const missing = [...(runtime ? [] : ["onnxruntime-node"]), ...(tokenizers ? [] : [TOKENIZERS])];
    throw new Error(
      `models in a folder need ${missing.join(" and ")}, which knowd does not bring along: ` +
        // Its install script only fetches what graphics cards need.
        `npm install --ignore-scripts --prefix "${folder}" onnxruntime-node ${TOKENIZERS}`,
    );
  }
  return {
    runtime: (await load(runtime)) as unknown as OnnxRuntime,
    Tokenizer: (await load(tokenizers))["Tokenizer"] as TokenizerClass,
  };
}

/** In the folder for it, else where knowd itself is installed. */
function find(folder: string, name: string): string | null {
  for (const from of [path.join(folder, "package.json"), import.meta.url]) {
    try {
      return createRequire(from).resolve(name);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== "MODULE_NOT_FOUND" && code !== "ERR_PACKAGE_PATH_NOT_EXPORTED") throw error;
    }
  }
  return null;
}

async function load(file: string): Promise<Record<string, unknown>> {
  const module = (await import(pathToFileURL(file).href)) as Record<string, unknown>;
  return (module["default"] ?? module) as Record<string, unknown>;
}
