import { parseToml } from "./safe-toml.ts";
import { MAX_YAML_LENGTH, parseYaml } from "./safe-yaml.ts";

export interface FrontMatter {
  /** Where the body begins; 0 where there is no front matter. */
  readonly bodyStart: number;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly warning: string | null;
}

const none: FrontMatter = { bodyStart: 0, fields: {}, warning: null };
/** Longer fields are left to the text, which has them all. */
const MAX_FIELDS_LENGTH = 16 * 1024;

/**
 * YAML between two lines of `---`, or TOML between two of `+++`, at the start of a text whose lines end with \n. `---js` and
 * the like are text.
 */
export async function readFrontMatter(text: string): Promise<FrontMatter> {
  const opening = /^(---|\+\+\+)[ \t]*\n/.exec(text);
  if (opening === null) return none;
  const isToml = opening[1] === "+++";
  const start = opening[0].length;
  const end = isToml ? /(?:^|\n)\+\+\+[ \t]*(?:\n|$)/ : /(?:^|\n)(?:---|\.\.\.)[ \t]*(?:\n|$)/;
  const closing = end.exec(text.slice(start - 1, start + MAX_YAML_LENGTH));
  if (closing === null) return none;
  const source = text.slice(start, Math.max(start, start - 1 + closing.index + 1));
  const bodyStart = start - 1 + closing.index + closing[0].length;
  const result = await (isToml ? parseToml(source) : parseYaml(source));
  if (!result.ok) {
    const fields = isToml ? null : simpleFields(source);
    if (fields === null) return { ...none, warning: `The front matter was kept as text: ${result.problem}.` };
    const warning = `Of the front matter only fields of one line were understood: ${result.problem}.`;
    return { bodyStart, fields, warning };
  }
  if (result.value === null || result.value === undefined) return { ...none, bodyStart };
  if (!isRecord(result.value)) return none;
  const json = asJson(result.value);
  if (json === null) return { ...none, warning: "The front matter was kept as text: it contains itself." };
  if (json.length > MAX_FIELDS_LENGTH) return { ...none, bodyStart };
  return { bodyStart, fields: JSON.parse(json) as Record<string, unknown>, warning: null };
}

const field = /^([\p{L}_][\p{L}\p{N}_-]{0,60}):(?:[ \t]+(\S.{0,1000}))?$/u;
const MAX_FIELDS = 50;

/** People write `title: Beans: part two`, which is no YAML. Null where there is no such field, or a line that can be none: text. */
function simpleFields(source: string): Record<string, string> | null {
  const found: [string, string][] = [];
  for (const line of source.split("\n")) {
    const [, name, value = ""] = field.exec(line) ?? [];
    if (name === undefined && /^[^\s#-]/.test(line)) return null;
    const text = value.trim().replace(/^(?:"(.*)"|'(.*)'|\[(.*)\])$/, "$1$2$3");
    const isSimple = text !== "" && !/^["'[\]{}&*!|>%@`]/.test(text);
    if (name !== undefined && isSimple && found.length < MAX_FIELDS) found.push([name, text]);
  }
  return found.length === 0 ? null : Object.fromEntries(found);
}

/** Null for what an alias has put inside itself. */
function asJson(value: Record<string, unknown>): string | null {
  try {
    return JSON.stringify(value);
  } catch {
    return null;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
