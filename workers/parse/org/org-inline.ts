/** Longer lines are data, and stay as they are. */
const MAX_LINE = 20_000;
const link = /\[\[([^[\]]{1,2000})\](?:\[((?:[^[\]]|\](?!\])|\[(?!\[)){1,2000})\])?\]/g;
const verbatim = /(^|[\s({'"[—–-])([=~])(?!\s)([^=~]{1,500})(?<!\s)\2(?=$|[\s.,;:!?'")}\]—–-])/g;

/** A line of Org text as Markdown: links and code change, emphasis is kept as people read it. */
export function orgInline(line: string): string {
  if (line.length > MAX_LINE) return line;
  let text = line;
  if (text.includes("[["))
    text = text.replaceAll(link, (_, target: string, words?: string) => linkText(target, words));
  if (text.includes("=") || text.includes("~"))
    text = text.replaceAll(verbatim, (_, before: string, _mark, code: string) => `${before}\`${code}\``);
  return text.replace(/\\\\\s*$/, "").replaceAll(/<<<?([^<>\n]{1,200})>>>?/g, "$1");
}

/** Addresses on the web are kept beside the words, since people look for them; links inside the notes are words alone. */
function linkText(target: string, words: string | undefined): string {
  const address = /^(?:https?|ftp|mailto|doi):/i.test(target);
  if (words === undefined) return address ? target : target.replace(/^(?:file|id|attachment|\*|#):?/, "");
  return address ? `[${words}](${target})` : words;
}
