import type { YamlResult } from "./safe-yaml.ts";

/** Deeper structures are not taken apart. */
const MAX_DEPTH = 64;
const MAX_TOML_LENGTH = 1024 * 1024;

/** Parses TOML of strangers: depth and length are checked before. */
export async function parseToml(source: string): Promise<YamlResult> {
  if (source.length > MAX_TOML_LENGTH)
    return { ok: false, problem: `longer than ${MAX_TOML_LENGTH} characters` };
  if (nestsTooDeep(source)) return { ok: false, problem: `nested deeper than ${MAX_DEPTH}` };
  const { parse } = await import("smol-toml");
  try {
    return { ok: true, value: parse(source, { maxDepth: MAX_DEPTH, integersAsBigInt: false }) };
  } catch (error) {
    const [line = "it was not understood"] = (error instanceof Error ? error.message : String(error)).split(
      "\n",
    );
    return { ok: false, problem: line };
  }
}

/** Brackets inside strings count too, and so do names parted by dots: the answer errs to the safe side. */
function nestsTooDeep(source: string): boolean {
  let depth = 0;
  let dots = 0;
  for (let at = 0; at < source.length; at++) {
    const sign = source[at];
    if (sign === "[" || sign === "{") depth++;
    else if (sign === "]" || sign === "}") depth = Math.max(0, depth - 1);
    else if (sign === ".") dots++;
    else if (sign === "\n" || sign === "=") dots = 0;
    if (depth > MAX_DEPTH || dots > 1000) return true;
  }
  return false;
}
