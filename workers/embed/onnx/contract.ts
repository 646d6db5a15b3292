import type { EmbedOutput } from "../../contract.ts";

/** What a model host is started with: one folder, one model. */
export interface OnnxHostInit {
  /** Absolute path of the folder, and the file in it; null finds model.onnx or onnx/model.onnx. */
  readonly folder: string;
  readonly modelFile: string | null;
  /** Null takes what the folder says. */
  readonly pooling: Pooling | null;
  readonly maxTokens: number | null;
  /** Processor threads of one run. */
  readonly threads: number;
  /** Where onnxruntime-node (or onnxruntime-web) and @huggingface/tokenizers are installed. */
  readonly packages: string;
}

export type Pooling = "mean" | "cls" | "last";

export interface OnnxDescription {
  /** sha256 of the model's bytes, its tokenizer's, and of how they are used. */
  readonly hash: string;
  /** What the folder wants put before texts. */
  readonly queryPrefix: string;
  readonly documentPrefix: string;
}

export interface OnnxTasks {
  /** Reads the folder; needs no packages. */
  "onnx.describe": { input: Record<string, never>; output: OnnxDescription };
  /** Urgent texts, of a query, go before what waits, and wait for one small run at most. Fails as MODEL_CHANGED when the folder is not the described one. */
  "onnx.embed": {
    input: { readonly hash: string; readonly texts: readonly string[]; readonly urgent: boolean };
    output: EmbedOutput;
  };
}
