/** Deeper structures and longer texts are not taken apart: parsers recurse. */
const MAX_DEPTH = 64;
export const MAX_YAML_LENGTH = 64 * 1024;
/** Each is looked for among all anchors. */
const MAX_ALIASES = 500;

export type YamlResult =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problem: string };

/** Parses YAML of strangers: nothing is executed, aliases are bounded, depth and length are checked before. */
export async function parseYaml(source: string): Promise<YamlResult> {
  if (source.length > MAX_YAML_LENGTH)
    return { ok: false, problem: `longer than ${MAX_YAML_LENGTH} characters` };
  if (nestsTooDeep(source)) return { ok: false, problem: `nested deeper than ${MAX_DEPTH}` };
  if ((source.match(/(?:^|[\s,[{])\*[\w-]/g)?.length ?? 0) > MAX_ALIASES)
    return { ok: false, problem: `more than ${MAX_ALIASES} aliases` };
  const { parseAllDocuments } = await import("yaml");
  try {
    const documents = parseAllDocuments(source, { logLevel: "silent", prettyErrors: false });
    const values: unknown[] = [];
    for (const document of Array.isArray(documents) ? documents : []) {
      const error = document.errors[0];
      if (error !== undefined) return { ok: false, problem: error.message };
      values.push(document.toJS({ maxAliasCount: 100 }));
    }
    return { ok: true, value: values.length > 1 ? values : values[0] };
  } catch (error) {
    return { ok: false, problem: error instanceof Error ? error.message : String(error) };
  }
}

/** Counts brackets, indicators in front of a line and levels of indent; strings may be counted in, to the safe side. */
function nestsTooDeep(source: string): boolean {
  let brackets = 0;
  for (const line of source.split("\n")) {
    const indicators = /^(?:\s*[-?:](?=\s|$))+/.exec(line)?.[0].replaceAll(/\s/g, "").length ?? 0;
    const indent = /^ */.exec(line)?.[0].length ?? 0;
    if (indicators > MAX_DEPTH || indent > MAX_DEPTH * 8) return true;
    for (const mark of line.match(/[[\]{}]/g) ?? []) {
      brackets = Math.max(0, brackets + (mark === "[" || mark === "{" ? 1 : -1));
      if (brackets > MAX_DEPTH) return true;
    }
  }
  return false;
}
