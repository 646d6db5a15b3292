import type { ToolAnnotations } from "@modelcontextprotocol/sdk/types.js";
import type { MethodSpec } from "../contract/define.ts";
import { inputSchema, outputSchema, type ObjectSchema } from "./json-schema.ts";

export type AnyMethodTable = Readonly<Record<string, MethodSpec>>;

/** A method of the table as an agent is offered it. */
export interface Tool {
  /** The method's name with `_` for `.`, since clients allow no dots. */
  readonly name: string;
  readonly method: string;
  readonly spec: MethodSpec;
  readonly description: string;
  readonly inputSchema: ObjectSchema;
  readonly outputSchema: ObjectSchema;
  /** Params that are sent where the agent leaves them out. */
  readonly defaults: Readonly<Record<string, unknown>>;
  readonly annotations: ToolAnnotations;
}

/** Parts of a streamed answer go out as the daemon's own progress, which a client of MCP does not see. */
const hiddenParams: ReadonlySet<string> = new Set(["stream", "lean"]);

/**
 * What a program sorts through is too much for a model's attention: the 500 matches that a grep answers by itself came to
 * 280,000 characters of data, more than common clients hand on.
 */
const defaultsOf: Readonly<Record<string, Readonly<Record<string, unknown>>>> = { "kb.grep": { limit: 100 } };

/** The tools of a method table, by their names. */
export function toolsOf(table: AnyMethodTable): ReadonlyMap<string, Tool> {
  const tools = Object.entries(table)
    .filter(([, spec]) => spec.tool === true)
    .map(([method, spec]) => toolOf(method, spec));
  return new Map(tools.map((tool) => [tool.name, tool]));
}

function toolOf(method: string, spec: MethodSpec): Tool {
  const defaults = defaultsOf[method] ?? {};
  return {
    name: method.replaceAll(".", "_"),
    method,
    spec,
    description: spec.doc,
    inputSchema: inputSchema(spec.params, hiddenParams, defaults),
    outputSchema: outputSchema(spec.result),
    defaults,
    annotations: annotationsOf(method, spec),
  };
}

/** Only what is on this machine is reached, so no tool is of the open world but those that fetch. */
function annotationsOf(method: string, { access }: MethodSpec): ToolAnnotations {
  if (access === "read") return { readOnlyHint: true, openWorldHint: false };
  return { readOnlyHint: false, destructiveHint: mayDelete(method), openWorldHint: fetches(method) };
}

const mayDelete = (method: string): boolean => /\.(?:delete|remove|manage)$/.test(method);
const fetches = (method: string): boolean => /^snapshot\.|\.manage$/.test(method);

/** Whether this call takes something away: by the method itself, by its action, or to make room for what is added. */
export function isDelete(method: string, args: Readonly<Record<string, unknown>>): boolean {
  const { action, onConflict } = args;
  return /\.(?:delete|remove)$/.test(method) || action === "delete" || onConflict === "replace";
}
