import type { Command } from "commander";
import { connect } from "../../client.ts";
import { readPipeToken } from "../../../config/pipe-token.ts";
import { printJson } from "../print.ts";
import { pathsFor, type GlobalFlags } from "../session.ts";
import { completeWords, type Candidates } from "./complete-words.ts";
import { completionScripts, type Shell } from "./scripts.ts";

/** A person waits for the answer to a key; a daemon that is there answers within some milliseconds. */
const PATIENCE_MS = 300;

/** Prints a shell's script; with words, as that script calls it, the candidates for the last of them. */
export async function completion(
  shell: Shell,
  words: readonly string[],
  flags: GlobalFlags,
  program: Command,
): Promise<void> {
  if (words.length === 0) {
    if (flags.json) printJson({ shell, script: completionScripts[shell] });
    else process.stdout.write(completionScripts[shell]);
    return;
  }
  const { joined, drop } = shell === "bash" ? joinAssignments(words) : { joined: words, drop: 0 };
  const found = await completeWords(program, joined, { bases: basesOf, methods: methodNames });
  if (flags.json) printJson(found);
  else process.stdout.write(linesOf(found, drop));
}

/** bash takes `--base=notes` for three words, of which the last is to be completed. */
function joinAssignments(words: readonly string[]): { joined: string[]; drop: number } {
  const joined: string[] = [];
  for (const [at, word] of words.entries()) {
    const before = joined.at(-1);
    const isValue = words[at - 1] === "=" && before?.startsWith("--") === true;
    if (before !== undefined && (isValue || (word === "=" && before.startsWith("--"))))
      joined[joined.length - 1] = before + word;
    else joined.push(word);
  }
  const last = joined.at(-1) ?? "";
  const current = words.at(-1) === "=" ? "" : (words.at(-1) ?? "");
  return { joined, drop: last.length - current.length };
}

function linesOf({ words, places }: Candidates, drop: number): string {
  const lines = words
    .filter(({ word }) => !/[\n\t]/.test(word))
    .map(({ word, about }) => `${word.slice(drop)}\t${about.replaceAll(/\s+/g, " ")}\n`);
  return lines.join("") + (places === null ? "" : `:${places}\n`);
}

/** Without a daemon, or with one that does not answer in time, there is nothing to offer and nothing to say. */
async function basesOf(flags: Readonly<Record<string, string>>): Promise<string[]> {
  const signal = AbortSignal.timeout(PATIENCE_MS);
  try {
    const { dataDir, socketPath } = await pathsFor(flags);
    const token = readPipeToken(dataDir, process.platform);
    const client = await connect({ socketPath, token, signal });
    try {
      const { items } = await client.call("base.list", { limit: 100 }, { signal });
      return items.map((base) => base.name);
    } finally {
      client.close();
    }
  } catch {
    // A line on the terminal would stand in the middle of what is being typed.
    return [];
  }
}

async function methodNames(): Promise<string[]> {
  const { methodTable } = await import("../../contract/index.ts");
  return Object.keys(methodTable);
}
