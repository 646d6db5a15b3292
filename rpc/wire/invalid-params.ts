import { JSONRPCErrorCode, JSONRPCErrorException } from "json-rpc-2.0";
import { z } from "zod";
import { nearest } from "../../config/nearest.ts";
import { quote } from "./quote.ts";

export interface ParamsIssue {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

type Issue = z.core.$ZodIssue;

/** The sentence names so many fields; `data.issues` has all of them. */
const NAMED_ISSUES = 3;

/** The refusal of a method's params, from what the schema says of them. */
export function invalidParams(schema: z.ZodType, issues: readonly Issue[]): JSONRPCErrorException {
  const found = issues.flatMap((issue) => paramsIssues(schema, issue));
  const named = found
    .slice(0, NAMED_ISSUES)
    .map(({ path, message }) => (path.length === 0 ? message : `${fieldName(path)}: ${message}`));
  const more = found.length > NAMED_ISSUES ? [`and ${found.length - NAMED_ISSUES} more`] : [];
  return invalidParamsError([...named, ...more].join("; "), found);
}

export function invalidParamsError(reason: string, issues: readonly ParamsIssue[]): JSONRPCErrorException {
  return new JSONRPCErrorException(`Invalid params: ${reason}`, JSONRPCErrorCode.InvalidParams, { issues });
}

function paramsIssues(schema: z.ZodType, issue: Issue): ParamsIssue[] {
  const path = issue.path.map((key) => (typeof key === "number" ? key : String(key)));
  if (issue.code === "unrecognized_keys") {
    const known = fieldsAt(schema, path);
    return issue.keys.map((key) => ({ path: [...path, key], message: unknownField(key, known) }));
  }
  return [{ path, message: sentence(issue) }];
}

function unknownField(key: string, known: readonly string[]): string {
  const meant = nearest(key, known);
  if (meant !== null) return `there is no such field; did you mean ${quote(meant)}?`;
  if (known.length === 0) return "there is no such field; none is taken here";
  return `there is no such field; there are ${known.join(", ")}`;
}

function sentence(issue: Issue): string {
  if (issue.code === "invalid_type" && issue.message.endsWith("received undefined"))
    return `is missing (${issue.expected})`;
  if (issue.code !== "invalid_union") return issue.message;
  const branches = issue.errors.flatMap((branch) => branch.slice(0, 1).map(sentence));
  return branches.length === 0 ? issue.message : [...new Set(branches)].join(" or ");
}

function fieldName(path: readonly (string | number)[]): string {
  return path
    .map((key, index) => {
      if (typeof key === "number") return `[${key}]`;
      return `${index === 0 ? "" : "."}${key.length > 64 ? `${key.slice(0, 64)}…` : key}`;
    })
    .join("");
}

/** The fields of the object that stands at a path of the schema; none where it is not an object. */
function fieldsAt(schema: z.ZodType, path: readonly (string | number)[]): readonly string[] {
  let at: unknown = unwrapped(schema);
  for (const key of path) {
    if (at instanceof z.ZodObject) at = unwrapped((at.shape as Record<string, unknown>)[key]);
    else if (at instanceof z.ZodArray) at = unwrapped(at.element);
    else return [];
  }
  return at instanceof z.ZodObject ? Object.keys(at.shape) : [];
}

/** A schema without what makes it optional, nullable or defaulted. */
function unwrapped(schema: unknown): unknown {
  let at = schema;
  while (at instanceof z.ZodOptional || at instanceof z.ZodNullable || at instanceof z.ZodDefault)
    at = at.unwrap();
  return at;
}
