import { MarkupLines } from "../markup/markup-lines.ts";
import type { ParsedFile, ReadInput } from "../reader.ts";
import { textOf } from "../text-of.ts";
import { FRAME_RANK, sectionRanks } from "./latex-commands.ts";
import { LatexFacts } from "./latex-facts.ts";
import { inlineLatex, LatexReading } from "./latex-reading.ts";
import { LatexSource } from "./latex-source.ts";

const facts = /\\(title|author|date|keywords|(?:re)?newcommand|providecommand|def)(?![A-Za-z])/g;

export function readLatex(input: ReadInput): ParsedFile {
  const { text, encoding, warnings } = textOf(input);
  const found = new LatexFacts();
  const out = new MarkupLines();
  const opened = /^[^%\n]{0,200}\\begin\s{0,5}\{document\}/m.exec(text);
  const bodyStart = opened === null ? 0 : opened.index + opened[0].length;
  const titleLine = readFacts(opened === null ? text : text.slice(0, bodyStart), input.firstLine, found);
  if (found.title !== null && titleLine !== null) {
    out.heading(1, found.title, titleLine);
    for (const below of [found.text("author"), found.text("date")])
      if (below !== undefined) out.prose(below, titleLine);
  }
  const source = new LatexSource(text, input.firstLine);
  source.moveTo(bodyStart);
  const level = found.title === null ? 1 : 2;
  new LatexReading({ source, out, facts: found, topRank: topRank(text), topLevel: level }).run();
  return {
    title: found.title,
    parts: [out.part()],
    metadata: { encoding, ...found.metadata() },
    warnings,
  };
}

/** What the preamble defines; answers the line of the title. */
function readFacts(preamble: string, firstLine: number, found: LatexFacts): number | null {
  const source = new LatexSource(preamble, firstLine);
  let titleLine: number | null = null;
  for (const { 0: whole, 1: name = "", index } of preamble.matchAll(facts)) {
    if (index < source.at || isComment(preamble, index)) continue;
    source.moveTo(index + whole.length);
    const { line } = source;
    if (/command$|^def$/.test(name)) {
      const macro =
        source.group() ?? /^\*?(\\[A-Za-z]{1,40})/.exec(preamble.slice(source.at, source.at + 50))?.[0] ?? "";
      if (preamble.startsWith(macro, source.at)) source.moveTo(source.at + macro.length);
      const text = preamble[source.at] === "{" ? source.group() : null;
      if (text !== null) found.define(macro.replace(/^\*?\\/, "").trim(), text);
      continue;
    }
    source.skipArguments(0);
    const text = source.group();
    if (text === null || (name === "date" && text.includes("\\today"))) continue;
    const parted = name === "author" ? text.replaceAll(/\\(?:and|And|AND)(?![A-Za-z])/g, ", ") : text;
    if (name === "title" && found.title === null) titleLine = line;
    found.set(name, inlineLatex(withoutNotes(parted), line, found).replaceAll(/\s*,(?:\s*,)*\s*/g, ", "));
  }
  return titleLine;
}

/** Thanks and addresses are no part of a name. */
function withoutNotes(text: string): string {
  return text.replaceAll(/\\(?:thanks|footnote|inst|affil|email|orcid|IEEE\w{1,30})\s?\{[^{}]{0,500}\}/g, "");
}

function isComment(text: string, index: number): boolean {
  const before = text.slice(Math.max(0, index - 1000), index);
  return /(?:^|[^\\])%/.test(before.slice(before.lastIndexOf("\n") + 1));
}

/** The outermost kind of section that there is. */
function topRank(text: string): number {
  let top = FRAME_RANK;
  for (const [name, rank] of Object.entries(sectionRanks))
    if (rank < top && new RegExp(String.raw`\\${name}\s?[*[{]`).test(text)) top = rank;
  return top;
}
