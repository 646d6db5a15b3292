import { Option, type Command } from "commander";
import { many, number, verb } from "./verb.ts";

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

/** To find passages. */
export function addSearchCommands(program: Command): void {
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
      verb(async (flags, words: string[]) => (await import("../search.ts")).search(words.join(" "), flags)),
    );

  program
    .command("similar")
    .argument("<file>", "an indexed file's path, an item's id, or - for a text from standard input")
    .description("find passages like a document, or like a text")
    .option("-b, --base <name>", "only in this base (may be repeated)", many)
    .option("-n, --limit <n>", "how many hits", number)
    .option("--documents", "a hit for each document, with its best passages")
    .option("--cursor <cursor>", "go on where the answer before ended, with the same target and flags")
    .action(verb(async (flags, target: string) => (await import("../similar.ts")).similar(target, flags)));

  program
    .command("explain")
    .argument("<query...>")
    .description("show how a search comes to its answer: terms, lanes, and what became of each passage")
    .option("-b, --base <name>", "only in this base (may be repeated)", many)
    .option("-n, --limit <n>", "how many hits", number)
    .option("--item <id>", "why this item is, or is not, among the hits")
    .action(
      verb(async (flags, words: string[]) => (await import("../explain.ts")).explain(words.join(" "), flags)),
    );
}
