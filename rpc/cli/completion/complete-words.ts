import type { Argument, Command, Option } from "commander";

/** What may stand where the cursor is: words with a few words about each, or files. */
export interface Candidates {
  readonly words: readonly { readonly word: string; readonly about: string }[];
  readonly places: "files" | "folders" | null;
}

export interface CompleteDeps {
  /** Names of the bases, asked of the daemon that these flags lead to; none when it is not there. */
  readonly bases: (flags: Readonly<Record<string, string>>) => Promise<readonly string[]>;
  readonly methods: () => Promise<readonly string[]>;
}

/** Where the words before the cursor lead to. */
interface Position {
  readonly command: Command;
  /** Arguments of the command that stand before the cursor. */
  readonly given: number;
  /** The option whose value is written now. */
  readonly option: Option | null;
  readonly onlyArguments: boolean;
  readonly flags: Readonly<Record<string, string>>;
}

const NOTHING: Candidates = { words: [], places: null };

/** Candidates for the last of the words, which may be empty; those before it are complete. */
export async function completeWords(
  program: Command,
  words: readonly string[],
  deps: CompleteDeps,
): Promise<Candidates> {
  const current = words.at(-1) ?? "";
  const at = positionAfter(program, words.slice(0, -1));
  if (at.option !== null) return startingWith(current, await valuesOf(at.option, at, deps));
  const [, long, value] = /^(--[\w-]+)=(.*)$/s.exec(current) ?? [];
  if (long !== undefined && value !== undefined && !at.onlyArguments) {
    const option = optionNamed(at.command, long);
    const found = option ? startingWith(value, await valuesOf(option, at, deps)) : NOTHING;
    return {
      words: found.words.map(({ word, about }) => ({ word: `${long}=${word}`, about })),
      places: null,
    };
  }
  if (current.startsWith("-") && !at.onlyArguments)
    return startingWith(current, { words: optionWords(at.command), places: null });
  if (at.command.commands.length > 0 && at.given > 0) return NOTHING;
  if (at.command.commands.length > 0)
    return startingWith(current, {
      words: at.command.commands.map((each) => ({ word: each.name(), about: each.description() })),
      places: null,
    });
  const all = at.command.registeredArguments;
  const argument = all[at.given] ?? (all.at(-1)?.variadic === true ? all.at(-1) : undefined);
  return argument ? startingWith(current, await argumentsOf(argument, at, deps)) : NOTHING;
}

function positionAfter(program: Command, words: readonly string[]): Position {
  let command = program;
  let given = 0;
  let option: Option | null = null;
  let onlyArguments = false;
  const flags: Record<string, string> = {};
  for (const word of words) {
    if (option !== null) {
      flags[option.attributeName()] = word;
      option = null;
    } else if (word === "--") onlyArguments = true;
    else if (word.startsWith("-") && word !== "-" && !onlyArguments) {
      const [name = "", value] = word.split(/=(.*)/s);
      const named = optionNamed(command, name);
      if (named && value !== undefined) flags[named.attributeName()] = value;
      else if (named && takesValue(named)) option = named;
    } else {
      const below = given === 0 ? command.commands.find((each) => each.name() === word) : undefined;
      if (below) command = below;
      else given++;
    }
  }
  return { command, given, option, onlyArguments, flags };
}

function takesValue(option: Option): boolean {
  return option.required || option.optional;
}

/** The command's own options, and those of the commands above it. */
function optionsOf(command: Command): Option[] {
  const own = command.options.filter((option) => !option.hidden);
  return command.parent ? [...own, ...optionsOf(command.parent)] : own;
}

function optionNamed(command: Command, name: string): Option | undefined {
  return optionsOf(command).find((option) => option.long === name || option.short === name);
}

function optionWords(command: Command): { word: string; about: string }[] {
  const words = optionsOf(command).map(({ long, short, description }) => ({
    word: long ?? short ?? "",
    about: description,
  }));
  return [...words, { word: "--help", about: "display help" }];
}

async function valuesOf(option: Option, at: Position, deps: CompleteDeps): Promise<Candidates> {
  if (option.argChoices) return plain(option.argChoices);
  if (option.long === "--base") return plain(await deps.bases(at.flags));
  if (/<folder>/.test(option.flags)) return { words: [], places: "folders" };
  return /<(?:path|file)>/.test(option.flags) ? { words: [], places: "files" } : NOTHING;
}

const PLACES: Readonly<Record<string, Candidates["places"]>> = {
  folders: "folders",
  paths: "files",
  file: "files",
  targets: "files",
};

async function argumentsOf(argument: Argument, at: Position, deps: CompleteDeps): Promise<Candidates> {
  if (argument.argChoices) return plain(argument.argChoices);
  const name = argument.name();
  if (name === "base") return plain(await deps.bases(at.flags));
  if (name === "method") return plain(await deps.methods());
  return { words: [], places: PLACES[name] ?? null };
}

function plain(words: readonly string[]): Candidates {
  return { words: words.map((word) => ({ word, about: "" })), places: null };
}

function startingWith(start: string, { words, places }: Candidates): Candidates {
  return { words: words.filter(({ word }) => word.startsWith(start)), places };
}
