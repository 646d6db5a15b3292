#!/usr/bin/env node
import { readFileSync } from "node:fs";
import path from "node:path";
import { Command, Option, CommanderError, InvalidArgumentError } from "commander";
import { locations } from "../../config/locations.ts";
import { EXIT } from "./exit.ts";
import { reportFailure } from "./report-failure.ts";

function packageVersion(): string {
  const text = readFileSync(path.join(locations.packageRoot, "package.json"), "utf8");
  return (JSON.parse(text) as { version: string }).version;
}

/** A verb loads its own module when it is run: a cold command must answer fast. */
const program = new Command("knowd");

program
  .description("A local knowledge daemon: watches folders, indexes what is in them, answers searches.")
  .option("--data-dir <folder>", "where bases and catalogue live")
  .option("--socket <path>", "the daemon's socket")
  .option("--config <file>", "the configuration file (TOML or JSON)")
  .option("--json", "print the result as JSON, for scripts")
  .version(packageVersion(), "-V, --version", "print the version")
  .exitOverride()
  .configureOutput({ outputError: (text, write) => write(text) });

const many = (value: string, before: string[] | undefined): string[] => [...(before ?? []), value];

function number(value: string): number {
  const parsed = Number(value);
  if (!Number.isSafeInteger(parsed) || parsed < 0)
    throw new InvalidArgumentError("a whole number is needed.");
  return parsed;
}

/** In one pair of single quotes the shell hands all of it over as it is. */
const searchSyntax = `
In the query:
  "rotate the keys"           the passage has this phrase
  -draft  -"old draft"        it does not have this (nor its title, headings or path)
  path:docs  path:*.md        the file's path has this, or fits the glob
  type:pdf  tag:project       format or extension; tag, or one below it
  after:2026-03  before:7d    changed then; also yesterday, 2w, 3m, 1y, last-week
  -path: -type: -tag:         not those
A backslash makes text of it:  \\-draft  \\"  path\\:x.  For the shell:
  knowd search 'keys "rotate them" -draft type:md after:last-month'
`;

/** Runs a verb with the flags of the program and its own; a number it answers is the exit code. */
function verb(run: (flags: never, ...args: never[]) => Promise<number | void>) {
  return async (...given: unknown[]): Promise<void> => {
    const command = given.at(-1) as Command;
    const args = given.slice(0, -2) as never[];
    process.exitCode = (await run(command.optsWithGlobals<never>(), ...args)) ?? EXIT.done;
  };
}

program
  .command("up")
  .argument("[folders...]", "folders to watch; none only starts the daemon")
  .description("start the daemon if none runs, watch folders, show progress until idle")
  .option("--base <name>", "put the folders into this base instead of one named after each")
  .option("--no-embedding", "make a base that is searched by words alone")
  .option("--no-wait", "return at once and index in the background")
  .action(verb(async (flags, folders: string[]) => (await import("./up.ts")).up(folders, flags)));

program
  .command("start")
  .description("run the daemon in this terminal until it is stopped")
  .action(verb(async (flags) => (await import("./spawn-daemon.ts")).runInForeground(flags)));

program
  .command("stop")
  .description("stop the daemon; what it was doing goes on at the next start")
  .action(verb(async (flags) => (await import("./stop.ts")).stop(flags)));

program
  .command("status")
  .description("show what the daemon is doing")
  .option("--failed", "list the files that could not be read, by reason")
  .action(verb(async (flags) => (await import("./status.ts")).status(flags)));

program
  .command("search")
  .argument("[query...]")
  .description("search by words and by meaning; filters alone list what was changed last")
  .option("-b, --base <name>", "only in this base (may be repeated)", many)
  .option("-n, --limit <n>", "how many hits", number)
  .option("--path <glob>", "only in files whose path matches")
  .option("--type <format>", "only in files of this format or extension (repeated: of any of them)", many)
  .option("--tag <tag>", "only in files with this tag, or one below it (repeated: with all)", many)
  .option("--after <date>", "only in files that were changed at or after 2026-03-01, 7d, last-week, …")
  .option("--before <date>", "only in files that were changed before")
  .option("--exclude <words>", "no passage with this word or phrase (may be repeated)", many)
  .option("--documents", "a hit for each document, with its best passages")
  .addOption(new Option("--sort <order>", "order of the hits").choices(["relevance", "newest", "oldest"]))
  .option("--copies", "a hit for every copy of a text, instead of one that names the others")
  .option("--cursor <cursor>", "go on where the answer before ended, with the same words and flags")
  .option("--explain", "show the ranks in each lane")
  .addHelpText("after", searchSyntax)
  .action(
    verb(async (flags, words: string[]) => (await import("./search.ts")).search(words.join(" "), flags)),
  );

program
  .command("similar")
  .argument("<file>", "an indexed file's path, an item's id, or - for a text from standard input")
  .description("find passages like a document, or like a text")
  .option("-b, --base <name>", "only in this base (may be repeated)", many)
  .option("-n, --limit <n>", "how many hits", number)
  .option("--documents", "a hit for each document, with its best passages")
  .option("--cursor <cursor>", "go on where the answer before ended, with the same target and flags")
  .action(verb(async (flags, target: string) => (await import("./similar.ts")).similar(target, flags)));

program
  .command("explain")
  .argument("<query...>")
  .description("show how a search comes to its answer: terms, lanes, and what became of each passage")
  .option("-b, --base <name>", "only in this base (may be repeated)", many)
  .option("-n, --limit <n>", "how many hits", number)
  .option("--item <id>", "why this item is, or is not, among the hits")
  .action(
    verb(async (flags, words: string[]) => (await import("./explain.ts")).explain(words.join(" "), flags)),
  );

program
  .command("read")
  .argument("<file>", "a file's path, an item's id, or with --base its path in the base")
  .description("print a document's text as it was indexed")
  .option("-b, --base <name>", "the base it is in", many)
  .option("--from <n>", "first character", number)
  .option("--to <n>", "character to stop before", number)
  .option("-e, --pattern <regex>", "print the matches of a regular expression instead")
  .option("-F, --fixed", "the pattern is plain text")
  .option("-s, --case-sensitive", "the pattern's case matters")
  .action(verb(async (flags, target: string) => (await import("./read.ts")).read(target, flags)));

program
  .command("grep")
  .argument("[pattern]", "a regular expression; write it behind -- when it begins with a dash")
  .description("find lines in all documents by regular expression, as ripgrep does in files")
  .option(
    "-e, --regexp <pattern>",
    "look for this pattern (may be repeated: one that matches is enough)",
    many,
  )
  .option("-b, --base <name>", "only in this base (may be repeated)", many)
  .option("-g, --glob <glob>", "only in files whose path fits; with ! not in those (may be repeated)", many)
  .option("-t, --type <format>", "only in files of this format (may be repeated)", many)
  .option("-F, --fixed", "the pattern is plain text")
  .option("-w, --word", "whole words only")
  .option("-x, --line", "whole lines only")
  .option("-i, --ignore-case", "case never matters (by default it does when the pattern has a capital)")
  .option("-s, --case-sensitive", "case always matters")
  .option("-v, --invert-match", "the lines that do not match")
  .option("-A, --after <n>", "show so many lines after each that matches", number)
  .option("-B, --before <n>", "show so many lines before each that matches", number)
  .option("-C, --context <n>", "show so many lines on both sides", number)
  .option("-o, --only-matching", "print only what matches, one match a line")
  .option("-c, --count", "print how many lines of each file match")
  .option("-l, --files", "print the files that have a match")
  .option("-m, --max-count <n>", "how many matching lines of a file at most", number)
  .option("-n, --limit <n>", "how many matches at most, in all", number)
  .addHelpText(
    "after",
    `
The syntax is that of RE2 and ripgrep, which no text can slow down: . [] [^] [a&&b] [[:alpha:]] \\d \\s \\w \\b \\pL
\\p{Greek} \\x{1F600} ^ $ | ( ) (?i) * + ? {2,5} and lazy ones such as *?. There is no look-around and no
back-reference. ^ and $ bind to the line. What is looked through is the text as it was indexed: of PDF, HTML
and the like what was taken from them, of text files their own lines with \\n at their ends. A line of
megabytes is looked through in parts of about one.`,
  )
  .action(verb(async (flags, pattern?: string) => (await import("./grep.ts")).grep(pattern, flags)));

program
  .command("ls")
  .argument("[base]")
  .description("list the bases, or the items of one as a tree")
  .action(verb(async (flags, name?: string) => (await import("./ls.ts")).ls(name, flags)));

program
  .command("formats")
  .description("list the formats that are read, and what reads them")
  .action(verb(async (flags) => (await import("./formats.ts")).formats(flags)));

program
  .command("watch")
  .argument("[folders...]")
  .description("watch folders without waiting; without folders, list what is watched")
  .option("--base <name>", "put the folders into this base")
  .option("--no-embedding", "make a base that is searched by words alone")
  .action(verb(async (flags, folders: string[]) => (await import("./manage.ts")).watch(folders, flags)));

program
  .command("add")
  .argument("<paths...>")
  .requiredOption("--base <name>", "the base to copy into")
  .description("copy files or folders into a base")
  .option("--on-conflict <strategy>", "rename, detect or replace", "rename")
  .action(verb(async (flags, paths: string[]) => (await import("./manage.ts")).add(paths, flags)));

program
  .command("rm")
  .argument("<targets...>", "paths or ids of items, or a watched folder")
  .description("take items out of their base, or stop watching a folder; files are never touched")
  .option("--base <name>", "the base they are in: a path is then one in the base")
  .action(verb(async (flags, targets: string[]) => (await import("./manage.ts")).rm(targets, flags)));

program
  .command("reindex")
  .argument("[targets...]", "paths or ids of items; none stands for the whole base")
  .description("read, chunk and embed again")
  .option("--base <name>", "the base they are in: a path is then one in the base")
  .action(verb(async (flags, targets: string[]) => (await import("./manage.ts")).reindex(targets, flags)));

const base = program.command("base").description("make, check and delete bases");
base
  .command("create")
  .argument("<name>")
  .option("--model <id>", "embedding model")
  .option("--no-embedding", "searched by words alone")
  .option("--chunk-size <tokens>", "tokens a chunk aims at", number)
  .option("--chunk-overlap <tokens>", "tokens a chunk repeats of the one before", number)
  .action(verb(async (flags, name: string) => (await import("./base.ts")).createBase(name, flags)));
base
  .command("delete")
  .argument("<name>")
  .action(verb(async (flags, name: string) => (await import("./base.ts")).deleteBase(name, flags)));
base
  .command("check")
  .argument("<name>")
  .action(verb(async (flags, name: string) => (await import("./base.ts")).checkBase(name, flags)));

const job = program.command("job").description("see, cancel and retry work");
job.command("list").action(verb(async (flags) => (await import("./job.ts")).listJobs(flags)));
job
  .command("cancel")
  .argument("<id>", "the job's number", number)
  .action(verb(async (flags, id: number) => (await import("./job.ts")).cancelJob(id, flags)));
job
  .command("retry")
  .argument("[id]", "the job's number; without it, all that failed or are parked", number)
  .action(verb(async (flags, id?: number) => (await import("./job.ts")).retryJobs(id, flags)));

program
  .command("call")
  .argument("<method>")
  .argument("[params]", "JSON; - reads it from standard input")
  .description("call any method of the daemon (knowd call system.methods lists them)")
  .action(
    verb(async (flags, method: string, params?: string) =>
      (await import("./call.ts")).call(method, params, flags),
    ),
  );

// A reader that has what it wanted (| head) closes the pipe: that is no failure.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(EXIT.done);
  process.stderr.write(`knowd: the output could not be written: ${error.message}\n`);
  process.exit(EXIT.failed);
});

try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) {
    process.exitCode = error.exitCode === 0 ? EXIT.done : EXIT.usage;
    if (error.code === "commander.unknownOption")
      process.stderr.write(
        "       a name or a word that begins with a dash goes behind --  (knowd search -- -x)\n",
      );
  } else process.exitCode = await reportFailure(error);
}
