import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { Language, Node, Parser } from "web-tree-sitter";

type Library = typeof import("web-tree-sitter");

/** 64 KB each: all grammars and 1 MB of dense source take 84 MB; text made to confuse a parser would take gigabytes. */
const FIRST_PAGES = 512;
const MAX_PAGES = 2048;
/** WebAssembly memory never shrinks: an engine that has grown beyond this is let go after use. */
const KEPT_BYTES = 48 * 1024 * 1024;

/** The parser's library with its memory and the grammars loaded into it. */
interface Engine {
  readonly library: Library;
  readonly memory: WebAssembly.Memory;
  readonly languages: Map<string, Language>;
}

const require = createRequire(import.meta.url);
/** The package's own build of the parser; the grammars lie beside it. */
const grammars = require.resolve("@vscode/tree-sitter-wasm");
let engine: Promise<Engine> | null = null;

/**
 * Parses and hands the tree's root to `visit`; everything is freed afterwards. Null when time or memory ran out.
 * `isLate` is asked every few hundred steps.
 */
export async function withTree<T>(
  grammar: string,
  text: string,
  isLate: () => boolean,
  visit: (root: Node) => T,
): Promise<T | null> {
  engine ??= openEngine();
  const { library, memory, languages } = await engine.catch((error: unknown) => {
    engine = null;
    throw error;
  });
  let language = languages.get(grammar);
  if (language === undefined) {
    language = await library.Language.load(join(dirname(grammars), `tree-sitter-${grammar}.wasm`));
    languages.set(grammar, language);
  }
  const parser = new library.Parser();
  try {
    return parseWith(parser, language, text, isLate, visit);
  } catch (error) {
    // A trap (memory, stack) leaves the engine unusable; the next file gets a new one.
    if (!(error instanceof WebAssembly.RuntimeError)) throw error;
    engine = null;
    return null;
  } finally {
    quietly(() => parser.delete());
    if (memory.buffer.byteLength > KEPT_BYTES) engine = null;
  }
}

function parseWith<T>(
  parser: Parser,
  language: Language,
  text: string,
  isLate: () => boolean,
  visit: (root: Node) => T,
): T | null {
  parser.setLanguage(language);
  const tree = parser.parse(text, null, { progressCallback: isLate });
  if (tree === null) return null;
  try {
    return visit(tree.rootNode);
  } finally {
    quietly(() => tree.delete());
  }
}

/** By a require of its own: what is imported, or a child of a lasting one, can never be let go, and its memory with it. */
async function openEngine(): Promise<Engine> {
  const load = createRequire(import.meta.url);
  const path = load.resolve("web-tree-sitter");
  const library = load(path) as Library;
  Reflect.deleteProperty(load.cache, path);
  const memory = new WebAssembly.Memory({ initial: FIRST_PAGES, maximum: MAX_PAGES });
  await library.Parser.init({ wasmMemory: memory, printErr: () => undefined });
  return { library, memory, languages: new Map() };
}

/** Frees what a trapped engine can't free any more; its memory goes as a whole. */
function quietly(free: () => void): void {
  try {
    free();
  } catch (error) {
    if (!(error instanceof WebAssembly.RuntimeError)) throw error;
  }
}
