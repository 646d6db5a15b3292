import { z } from "zod";
import { errorTable, type ErrorName } from "./contract/errors.ts";
import { methodTable, type MethodName } from "./contract/index.ts";

interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly prefixItems?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly description?: string;
  readonly default?: unknown;
}

/** The reference page of methods and errors as Markdown, made from the method table. */
export function renderReference(): string {
  const names = Object.keys(methodTable) as MethodName[];
  return [
    "# Methods",
    "",
    "Made from the method table in `rpc/contract/` (a test compares): change that, then run `npm run reference`.",
    "",
    "| method | access | what it does |",
    "|---|---|---|",
    ...names.map(
      (name) =>
        `| [\`${name}\`](#${anchor(name)}) | ${methodTable[name].access} | ${methodTable[name].doc} |`,
    ),
    "",
    ...names.flatMap(renderMethod),
    "# Errors",
    "",
    "JSON-RPC's own codes (−32700, −32600, −32601, −32602) mean what the protocol says. `error.data` has `name`, `hint` and what the hint refers to.",
    "",
    "| code | name | message | hint |",
    "|--:|---|---|---|",
    ...(Object.keys(errorTable) as ErrorName[]).map((name) => {
      const { code, message, hint } = errorTable[name];
      return `| ${code} | \`${name}\` | ${message} | ${hint} |`;
    }),
    "",
  ].join("\n");
}

function renderMethod(name: MethodName): string[] {
  const { doc, params, result, errors, example, deadlineMs, access } = methodTable[name];
  const input = z.toJSONSchema(params, { io: "input" }) as Schema;
  const output = z.toJSONSchema(result) as Schema;
  return [
    `## ${name}`,
    "",
    doc,
    "",
    ...fieldTable("Params", input),
    ...fieldTable("Result", output),
    `Access: ${access}. Deadline: ${deadlineMs / 1000} s. Errors: ${errors.length > 0 ? errors.map((error) => `\`${error}\``).join(", ") : "none of its own"}.`,
    "",
    "```json",
    JSON.stringify({ jsonrpc: "2.0", id: 1, method: name, params: example }),
    "```",
    "",
  ];
}

function fieldTable(title: string, schema: Schema): string[] {
  const fields = Object.entries(schema.properties ?? {});
  if (fields.length === 0) return [`${title}: none.`, ""];
  const rows = fields.map(([name, field]) => {
    const optional = title === "Params" && !schema.required?.includes(name);
    const standard = field.default === undefined ? "" : ` Default: \`${JSON.stringify(field.default)}\`.`;
    return `| \`${name}\`${optional ? "?" : ""} | ${typeOf(field)} | ${(field.description ?? "").replaceAll("|", "\\|")}${standard} |`;
  });
  return [`| ${title.toLowerCase()} | type | |`, "|---|---|---|", ...rows, ""];
}

function typeOf(schema: Schema): string {
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``;
  if (schema.enum) return schema.enum.map((value) => `\`${String(value)}\``).join(" \\| ");
  if (schema.anyOf) return [...new Set(schema.anyOf.map(typeOf))].join(" \\| ");
  if (schema.prefixItems) return `[${schema.prefixItems.map(typeOf).join(", ")}]`;
  if (schema.items) return `${typeOf(schema.items)}[]`;
  if (schema.properties) return `{${Object.keys(schema.properties).join(", ")}}`;
  return typeof schema.type === "string" ? schema.type : (schema.type?.join(" \\| ") ?? "any");
}

function anchor(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
}
