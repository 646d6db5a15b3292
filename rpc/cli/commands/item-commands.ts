import { type Command, Option } from "commander";
import { verb } from "./verb.ts";

/** For what is in the bases: folders that are watched, files that were added. */
export function addItemCommands(program: Command): void {
  program
    .command("ls")
    .argument("[base]")
    .description("list the bases, or the items of one as a tree")
    .action(verb(async (flags, name?: string) => (await import("../ls.ts")).ls(name, flags)));

  program
    .command("watch")
    .argument("[folders...]")
    .description("watch folders without waiting; without folders, list what is watched")
    .option("--base <name>", "put the folders into this base")
    .option("--no-embedding", "make a base that is searched by words alone")
    .action(verb(async (flags, folders: string[]) => (await import("../manage.ts")).watch(folders, flags)));

  program
    .command("add")
    .argument("<paths...>")
    .requiredOption("--base <name>", "the base to copy into")
    .description("copy files or folders into a base")
    .option("--on-conflict <strategy>", "rename, detect or replace", "rename")
    .action(verb(async (flags, paths: string[]) => (await import("../manage.ts")).add(paths, flags)));

  program
    .command("note")
    .argument("[text...]", "the note, in Markdown; without it --file or standard input")
    .description("keep a text in a base, as a file that can be edited where it stands")
    .option("--file <path>", "take the text from a file; - is standard input")
    .option("--title <title>", "instead of its first heading or line")
    .option("--base <name>", "the base to keep it in, instead of one called notes")
    .action(verb(async (flags, words: string[]) => (await import("../note.ts")).note(words, flags)));

  program
    .command("snapshot")
    .argument("[urls...]", "addresses of pages, PDFs, plain texts or Markdown")
    .description("fetch URLs on this machine and keep what is there, as Markdown or as a file")
    .option("-b, --base <name>", "the base to keep them in; else the only one, or one named snapshots")
    .option("--title <title>", "instead of the page's own")
    .option("--allow-private", "addresses of this machine and of private networks too")
    .option("--refresh", "fetch again what was captured: these URLs, or all")
    .option("--every <time>", "fetch again by itself: 30m, 12h, 1d, 2w; never ends that")
    .addOption(
      new Option("--on-conflict <strategy>", "when a URL was captured already").choices([
        "rename",
        "detect",
        "replace",
      ]),
    )
    .action(verb(async (flags, urls: string[]) => (await import("../snapshot.ts")).snapshot(urls, flags)));

  program
    .command("rm")
    .argument("<targets...>", "paths or ids of items, or a watched folder")
    .description("take items out of their base, or stop watching a folder; files are never touched")
    .option("--base <name>", "the base they are in: a path is then one in the base")
    .action(verb(async (flags, targets: string[]) => (await import("../manage.ts")).rm(targets, flags)));

  program
    .command("reindex")
    .argument("[targets...]", "paths or ids of items; none stands for the whole base")
    .description("read, chunk and embed again")
    .option("--base <name>", "the base they are in: a path is then one in the base")
    .action(verb(async (flags, targets: string[]) => (await import("../manage.ts")).reindex(targets, flags)));
}
