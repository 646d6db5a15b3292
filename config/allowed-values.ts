import type { SettingSchema } from "./settings-list.ts";

/** What may stand at a setting, as a phrase: "a whole number from 1 to 64, or auto". */
export function allowedValues(schema: SettingSchema): string {
  if (schema.anyOf) {
    // A `null` beside `none` is the same thing twice.
    const parts = schema.anyOf.filter((part) => part.type !== "null");
    const ordered = [
      ...parts.filter((part) => part.const === undefined),
      ...parts.filter((part) => part.const !== undefined),
    ];
    return ordered.map(allowedValues).join(", or ");
  }
  if (schema.const !== undefined) return String(schema.const);
  if (schema.enum)
    return schema.enum.length === 1 ? String(schema.enum[0]) : `one of ${schema.enum.join(", ")}`;
  if (schema.type === "integer") {
    return `a whole number${unitPhrase(schema)} from ${schema.minimum} to ${schema.maximum}`;
  }
  if (schema.type === "boolean") return "true or false";
  if (schema.type === "array") return "a list";
  return schema.type === "object" ? "a table" : textPhrase(schema);
}

/** Whether the setting takes this type, alone or among others. */
export function accepts(schema: SettingSchema, type: string): boolean {
  return schema.type === type || (schema.anyOf?.some((part) => accepts(part, type)) ?? false);
}

function unitPhrase(schema: SettingSchema): string {
  if (schema.unit === "ms") return " of milliseconds";
  return schema.unit === undefined ? "" : ` of ${schema.unit}`;
}

function textPhrase(schema: SettingSchema): string {
  if (schema.format === "uri") return "an http or https address";
  const most = schema.maxLength === undefined ? "" : ` of ${schema.maxLength} characters at most`;
  return schema.pattern === undefined ? `text${most}` : `text that matches ${schema.pattern}`;
}
