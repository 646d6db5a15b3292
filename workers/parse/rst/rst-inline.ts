/** Longer lines are data, and stay as they are. */
const MAX_LINE = 20_000;
const inline =
  /``((?:[^`]|`(?!`)){1,500})``|(?::([A-Za-z][\w:+.-]{0,60}):)?`([^`]{1,500})`(?::([A-Za-z][\w:+.-]{0,60}):)?(_{0,2})|\|([^|\s](?:[^|]{0,80}[^|\s])?)\|_{0,2}|(\[[\w#*.-]{1,60}\])_(?!\w)/g;
/** Roles whose text is code. */
const codeRole =
  /^(?:code|literal|command|option|envvar|file|kbd|samp|program|makevar|mimetype|regexp|token|(?:\w+:)?(?:func|meth|class|mod|attr|data|obj|exc|const|member|macro|type|var|enum|struct|union|expr|option))$/;

/** Names that a text defines. */
export interface RstNames {
  /** `|name|` → what stands for it. */
  readonly substitutions: ReadonlyMap<string, string>;
  /** Lower-case name of a link → its address on the web. */
  readonly targets: ReadonlyMap<string, string>;
}

/** A line of reStructuredText as Markdown. */
export function rstInline(line: string, names: RstNames): string {
  if (line.length > MAX_LINE || !/[`|\]*\\_]/.test(line)) return line;
  return line
    .replaceAll(
      inline,
      (
        whole: string,
        literal?: string,
        roleBefore?: string,
        text?: string,
        roleAfter?: string,
        link?: string,
        name?: string,
        note?: string,
      ) => {
        if (literal !== undefined) return codeSpan(literal);
        if (text !== undefined) {
          const role = roleBefore ?? roleAfter;
          const target =
            role === undefined && link !== "" ? names.targets.get(text.toLowerCase()) : undefined;
          return target === undefined ? interpreted(text, role) : `[${text}](${target})`;
        }
        if (name !== undefined) return names.substitutions.get(name) ?? whole;
        return note ?? whole;
      },
    )
    .replaceAll(/\b([A-Za-z][\w.-]{0,60})_(?=[\s.,;:)]|$)/g, (whole: string, name: string) => {
      const target = names.targets.get(name.toLowerCase());
      return target === undefined ? whole : `[${name}](${target})`;
    })
    .replaceAll(/\\([^\w\s])/g, "$1");
}

function codeSpan(text: string): string {
  return text.includes("`") ? text : `\`${text}\``;
}

function interpreted(text: string, role: string | undefined): string {
  const [, words, target = ""] = /^([^<]*?)\s*<([^<>]+)>$/.exec(text) ?? [];
  if (role !== undefined && codeRole.test(role)) {
    const shown = words !== undefined && words !== "" ? words : (target || text).replace(/^[~!]/, "");
    return codeSpan(shown);
  }
  if (words === undefined) return text;
  const address = /^(?:https?|ftp|mailto):/i.test(target);
  if (words === "") return target;
  return address ? `[${words}](${target})` : words;
}
