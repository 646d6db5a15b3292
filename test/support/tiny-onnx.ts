import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";

/** The words that the tiny model knows; its table has a row for each. */
export const tinyWords = [
  "[PAD]",
  "[UNK]",
  "[CLS]",
  "[SEP]",
  "keys",
  "lock",
  "rain",
  "query",
  ":",
  "door",
  "##s",
];
export const TINY_DIMENSIONS = 4;

/** Row of a word: numbers that tell words apart. */
export function tinyRow(word: string): number[] {
  const row = Math.max(tinyWords.indexOf(word), 1);
  return Array.from({ length: TINY_DIMENSIONS }, (_, at) => Math.sin((row + 1) * (at + 1)));
}

/**
 * Writes a folder as sentence models come in, with a real ONNX graph, `last_hidden_state = Gather(table, input_ids)`, made
 * here byte by byte. `files` are more of its files, by name; undefined leaves one out.
 */
export function writeTinyModel(
  folder: string,
  {
    files = {},
    modelFile = "model.onnx",
    scale = 1,
  }: { files?: Record<string, unknown>; modelFile?: string; scale?: number } = {},
): string {
  const all: Record<string, unknown> = {
    "tokenizer.json": tokenizer(),
    "tokenizer_config.json": {},
    ...files,
  };
  for (const [name, content] of Object.entries(all)) {
    if (content === undefined) continue;
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), typeof content === "string" ? content : JSON.stringify(content));
  }
  mkdirSync(path.dirname(path.join(folder, modelFile)), { recursive: true });
  writeFileSync(path.join(folder, modelFile), tinyModel(scale));
  return folder;
}

function tokenizer(): object {
  const vocab = Object.fromEntries(tinyWords.map((word, id) => [word, id]));
  const special = (content: string) => ({
    id: vocab[content],
    content,
    single_word: false,
    lstrip: false,
    rstrip: false,
    normalized: false,
    special: true,
  });
  const mark = (id: string) => ({ SpecialToken: { id, type_id: 0 } });
  const marks = Object.fromEntries(
    ["[CLS]", "[SEP]"].map((id) => [id, { id, ids: [vocab[id]], tokens: [id] }]),
  );
  return {
    version: "1.0",
    truncation: null,
    padding: null,
    added_tokens: ["[PAD]", "[UNK]", "[CLS]", "[SEP]"].map(special),
    normalizer: {
      type: "BertNormalizer",
      clean_text: true,
      handle_chinese_chars: true,
      strip_accents: null,
      lowercase: true,
    },
    pre_tokenizer: { type: "BertPreTokenizer" },
    post_processor: {
      type: "TemplateProcessing",
      single: [mark("[CLS]"), { Sequence: { id: "A", type_id: 0 } }, mark("[SEP]")],
      pair: [],
      special_tokens: marks,
    },
    decoder: { type: "WordPiece", prefix: "##", cleanup: true },
    model: {
      type: "WordPiece",
      unk_token: "[UNK]",
      continuing_subword_prefix: "##",
      max_input_chars_per_word: 100,
      vocab,
    },
  };
}

/** A ModelProto of ONNX: field numbers are those of onnx.proto. */
function tinyModel(scale: number): Buffer {
  const table = Float32Array.from(tinyWords.flatMap(tinyRow), (value) => value * scale);
  const initializer = message(
    number(1, tinyWords.length),
    number(1, TINY_DIMENSIONS),
    number(2, 1),
    text(8, "table"),
    bytes(9, Buffer.from(table.buffer)),
  );
  const node = message(
    text(1, "table"),
    text(1, "input_ids"),
    text(2, "last_hidden_state"),
    text(3, "look_up"),
    text(4, "Gather"),
  );
  const batch = ["texts", "tokens"];
  const graph = message(
    bytes(1, node),
    text(2, "tiny"),
    bytes(5, initializer),
    bytes(11, value("input_ids", 7, batch)),
    bytes(11, value("attention_mask", 7, batch)),
    bytes(11, value("token_type_ids", 7, batch)),
    bytes(12, value("last_hidden_state", 1, [...batch, "numbers"])),
  );
  const opset = message(text(1, ""), number(2, 13));
  return message(number(1, 8), bytes(7, graph), bytes(8, opset));
}

/** A tensor's name, element type (1 float, 7 int64) and the names of its dimensions. */
function value(name: string, type: number, dimensions: readonly string[]): Buffer {
  const shape = message(...dimensions.map((dimension) => bytes(1, message(text(2, dimension)))));
  return message(text(1, name), bytes(2, message(bytes(1, message(number(1, type), bytes(2, shape))))));
}

function message(...fields: readonly Buffer[]): Buffer {
  return Buffer.concat(fields);
}

function number(field: number, content: number): Buffer {
  return Buffer.concat([varint(field * 8), varint(content)]);
}

function bytes(field: number, content: Buffer): Buffer {
  return Buffer.concat([varint(field * 8 + 2), varint(content.length), content]);
}

function text(field: number, content: string): Buffer {
  return bytes(field, Buffer.from(content));
}

function varint(content: number): Buffer {
  const parts: number[] = [];
  let rest = content;
  for (; rest > 127; rest = Math.floor(rest / 128)) parts.push((rest % 128) + 128);
  return Buffer.from([...parts, rest]);
}
