import type { Command } from "commander";
import { many, number, verb } from "./verb.ts";

/** To read documents and look through them. */
export function addTextCommands(program: Command): void {
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
    .action(verb(async (flags, target: string) => (await import("../read.ts")).read(target, flags)));

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
    .action(verb(async (flags, pattern?: string) => (await import("../grep.ts")).grep(pattern, flags)));
}
