/** Longer lines are data, and stay as they are. */
const MAX_LINE = 20_000;
const url = /(?:link:)?((?:https?|ftp|irc|mailto):[^\s[\]<>]{1,2000})\[((?:[^\]\\]|\\.){0,1000})\]/g;
const macro =
  /\b(link|xref|kbd|btn|menu|image|icon|footnote|footnoteref|stem|latexmath|asciimath|pass|indexterm2?|anchor|term):([^\s[\]:]{0,500})\[((?:[^\]\\]|\\.){0,1000})\]/g;

/** A line of AsciiDoc as Markdown: links and macros change, emphasis is kept as people read it. */
export function asciidocInline(line: string): string {
  if (line.length > MAX_LINE) return line;
  let text = line;
  if (text.includes("[")) {
    text = text
      .replaceAll(url, (_, target: string, words: string) => {
        const shown = firstWords(words);
        return shown === "" ? target : `[${shown}](${target})`;
      })
      .replaceAll(macro, (_, name: string, target: string, words: string) => macroText(name, target, words))
      .replaceAll(/\[\[[\w.:-]{1,200}(?:,[^\]]{0,200})?\]\]/g, "")
      .replaceAll(/\[[.#%][\w.#% -]{1,200}\](?=[#*_`])/g, "");
  }
  if (text.includes("<<")) {
    text = text.replaceAll(/<<([^<>,]{1,300})(?:,([^<>]{1,500}))?>>/g, (_, id: string, words?: string) =>
      (words ?? id.replace(/^#/, "")).trim(),
    );
  }
  if (text.includes("((")) {
    text = text.replaceAll(/\(\(\([^()]{1,300}\)\)\)/g, "").replaceAll(/\(\(([^()]{1,300})\)\)/g, "$1");
  }
  return text.replace(/\s\+\s*$/, "").replaceAll(/\+\+\+([^+]{1,500})\+\+\+|\$\$([^$]{1,500})\$\$/g, "$1$2");
}

function macroText(name: string, target: string, words: string): string {
  const shown = firstWords(words);
  switch (name) {
    case "footnote":
    case "footnoteref":
      return words === "" ? "" : ` (${words})`;
    case "menu":
      return words === "" ? target : `${target} > ${words}`;
    case "indexterm":
    case "anchor":
      return "";
    case "image":
    case "icon":
      return shown;
    case "stem":
    case "latexmath":
    case "asciimath":
      return `$${words}$`;
    case "kbd":
    case "btn":
    case "pass":
    case "term":
    case "indexterm2":
      return words.replaceAll("\\]", "]");
    default:
      return shown === "" ? target : shown;
  }
}

/** The text of a macro's brackets: without its named attributes, quotes and caret. */
export function firstWords(source: string): string {
  const quoted = /^\s*"([^"]*)"/.exec(source);
  const text = quoted?.[1] ?? source.replace(/,\s*[\w-]{1,40}=.*$/, "");
  return /^[\w-]{1,40}=/.test(text) ? "" : text.replace(/\^$/, "").replaceAll("\\]", "]").trim();
}
