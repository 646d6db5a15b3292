import { accepts } from "./allowed-values.ts";
import type { ConfigProblem } from "./config-error.ts";
import { didYouMean } from "./nearest.ts";
import type { Source } from "./paths.ts";
import { listSettings, type SettingSchema } from "./settings-list.ts";

export type Values = Readonly<Record<string, unknown>>;

/** What one place sets: nested values, and for each dotted key where it stands. */
export interface Layer {
  readonly values: Values;
  readonly sources: ReadonlyMap<string, Source>;
  readonly problems: readonly ConfigProblem[];
}

/** Variables that name a file or are handled with the paths. */
const KNOWN_ELSEWHERE = new Set(["KNOWD_CONFIG"]);

/** The settings among KNOWD_* variables. A variable that is none is a problem whose key is the variable's name. */
export function environmentLayer(env: Readonly<Record<string, string | undefined>>): Layer {
  const byVariable = new Map(
    listSettings().flatMap((one) => (one.variable === null ? [] : [[one.variable, one]])),
  );
  const problems: ConfigProblem[] = [];
  const entries: Entry[] = [];
  for (const [name, text] of Object.entries(env)) {
    if (!name.startsWith("KNOWD_") || text === undefined || text === "") continue;
    if (KNOWN_ELSEWHERE.has(name)) continue;
    const setting = byVariable.get(name);
    if (setting)
      entries.push({ key: setting.key, text, where: name, kind: "environment", schema: setting.schema });
    else {
      const hint = didYouMean(name, [...byVariable.keys(), ...KNOWN_ELSEWHERE]);
      problems.push({ key: name, where: name, message: `there is no such variable${hint}` });
    }
  }
  return layerOf(entries, problems);
}

/** Flags: dotted keys with values; texts are read as in a variable. */
export function flagLayer(overrides: Values): Layer {
  const byKey = new Map(listSettings().map((one) => [one.key, one.schema]));
  const entries = Object.entries(overrides).flatMap(([key, value]): Entry[] => {
    if (value === undefined) return [];
    return [{ key, text: value, where: flagName(key), kind: "flag", schema: byKey.get(key) ?? {} }];
  });
  return layerOf(entries, []);
}

/** Later layers win; lists are replaced whole. */
export function mergeValues(under: Values, over: Values): Values {
  const names = new Set([...Object.keys(under), ...Object.keys(over)]);
  return Object.fromEntries(
    [...names].map((name) => {
      const below = Object.hasOwn(under, name) ? under[name] : undefined;
      const above = Object.hasOwn(over, name) ? over[name] : undefined;
      if (above === undefined) return [name, below];
      return [name, isTable(below) && isTable(above) ? mergeValues(below, above) : above];
    }),
  );
}

export function isTable(value: unknown): value is Values {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** Every key that is set in a nest of tables, as a path. */
export function leafPaths(values: Values, prefix: readonly string[] = []): (readonly string[])[] {
  return Object.entries(values).flatMap(([name, value]) => {
    const path = [...prefix, name];
    return isTable(value) ? leafPaths(value, path) : [path];
  });
}

interface Entry {
  readonly key: string;
  readonly text: unknown;
  readonly where: string;
  readonly kind: "environment" | "flag";
  readonly schema: SettingSchema;
}

function layerOf(entries: readonly Entry[], found: readonly ConfigProblem[]): Layer {
  const problems = [...found];
  const sources = new Map<string, Source>();
  let values: Values = {};
  for (const { key, text, where, kind, schema } of entries) {
    const value = typeof text === "string" ? fromText(text, schema) : { value: text };
    if (value === null) problems.push({ key, where, message: `${key} must be a list written as JSON` });
    else {
      values = mergeValues(values, nest(key.split("."), value.value));
      sources.set(key, { kind, where });
    }
  }
  return { values, sources, problems };
}

/** A text where a number, true or false, or a list is expected is read as one. Null for a list that is not JSON. */
function fromText(text: string, schema: SettingSchema): { value: unknown } | null {
  if (accepts(schema, "integer") && /^[+-]?\d+(\.\d+)?$/.test(text.trim())) return { value: Number(text) };
  if (accepts(schema, "boolean") && /^(?:true|false)$/.test(text.trim()))
    return { value: text.trim() === "true" };
  if (!accepts(schema, "array")) return { value: text };
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    // The parser's own words would quote the text, which may hold what is nobody's business.
    return null;
  }
}

function nest(path: readonly string[], value: unknown): Values {
  return path.reduceRight<unknown>((inner, name) => Object.fromEntries([[name, inner]]), value) as Values;
}

const FLAGS = new Map([
  ["data.dir", "--data-dir"],
  ["socket.path", "--socket"],
  ["log.file", "--log-file"],
]);

function flagName(key: string): string {
  return FLAGS.get(key) ?? `--set ${key}`;
}
