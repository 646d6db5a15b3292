import type { z } from "zod";
import { allowedValues } from "./allowed-values.ts";
import type { ConfigProblem } from "./config-error.ts";
import type { KeyPath } from "./key-lines.ts";
import { didYouMean } from "./nearest.ts";
import { listSettings, schemaAt, settingsSchema } from "./settings-list.ts";

type Issue = z.core.$ZodIssue;

const MAX_SHOWN_CHARACTERS = 60;

/** What the schema refused, in words: the key, where it was written, what is allowed. */
export function problemsOf(
  issues: readonly Issue[],
  values: unknown,
  whereOf: (path: KeyPath) => string,
): ConfigProblem[] {
  return issues.flatMap((issue) => {
    const path = issue.path as KeyPath;
    if (issue.code === "unrecognized_keys")
      return issue.keys.map((name) => unknownKey([...path, name], whereOf));
    return [
      {
        key: dotted(path),
        where: whereOf(path),
        message: `${dotted(path)} ${complaint(issue, path, values)}`,
      },
    ];
  });
}

/** `embedding.models[0].url`, with entries of lists counted from 0. */
export function dotted(path: KeyPath): string {
  return path
    .map((name, at) => (typeof name === "number" ? `[${name}]` : at === 0 ? name : `.${name}`))
    .join("");
}

function unknownKey(path: KeyPath, whereOf: (path: KeyPath) => string): ConfigProblem {
  const key = dotted(path);
  const siblings = Object.keys((schemaAt(path.slice(0, -1)) ?? settingsSchema()).properties ?? {});
  const besides = siblings.map((name) => dotted([...path.slice(0, -1), name]));
  const hint = didYouMean(key, [...besides, ...listSettings().map((setting) => setting.key)]);
  return { key, where: whereOf(path), message: `there is no setting ${key}${hint}` };
}

function complaint(issue: Issue, path: KeyPath, values: unknown): string {
  if (issue.code === "custom") return issue.message;
  const schema = schemaAt(path);
  const allowed = schema === null ? issue.message : allowedValues(schema);
  const value = valueAt(values, path);
  if (value === undefined) return `is missing: it must be ${allowed}`;
  return `is ${shown(path, value)}, but must be ${allowed}`;
}

function valueAt(values: unknown, path: KeyPath): unknown {
  return path.reduce<unknown>(
    (at, name) =>
      typeof at === "object" && at !== null ? (at as Record<string | number, unknown>)[name] : undefined,
    values,
  );
}

/** A key that was pasted where its variable's name belongs, or a password in an address, must not reach a log. */
function shown(path: KeyPath, value: unknown): string {
  if (String(path.at(-1)).startsWith("apiKey")) return "not usable (not shown here)";
  const text = (JSON.stringify(value) ?? String(value)).replace(/\/\/[^/@"]*@/g, "//…@");
  return text.length > MAX_SHOWN_CHARACTERS ? `${text.slice(0, MAX_SHOWN_CHARACTERS)}…` : text;
}
