import { z } from "zod";
import { settings } from "./schema.ts";

/** The part of JSON Schema that our settings come out as. */
export interface SettingSchema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, SettingSchema>>;
  readonly required?: readonly string[];
  readonly items?: SettingSchema;
  readonly anyOf?: readonly SettingSchema[];
  readonly enum?: readonly (string | number)[];
  readonly const?: string | number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly format?: string;
  readonly default?: unknown;
  readonly description?: string;
  /** ms or bytes. */
  readonly unit?: string;
  /** What stands in for a default that depends on the machine. */
  readonly fallback?: string;
}

export interface Setting {
  /** Dotted; `embedding.models[].url` is a setting of each entry of a list. */
  readonly key: string;
  /** The environment variable that sets it; null for entries of a list, which has one variable for all. */
  readonly variable: string | null;
  readonly schema: SettingSchema;
  readonly required: boolean;
}

/** The socket's variable is as short as the flag's name; all others follow from the key. */
const variableOf: Readonly<Record<string, string>> = { "socket.path": "KNOWD_SOCKET" };

let schema: SettingSchema | undefined;

/** The schema of the configuration as it is written, with its sections below. */
export function settingsSchema(): SettingSchema {
  schema ??= z.toJSONSchema(settings, { io: "input" }) as SettingSchema;
  return schema;
}

/** Every setting, in the order of the schema. */
export function listSettings(): readonly Setting[] {
  return settingsBelow(settingsSchema(), "");
}

/** The schema of what stands at a path, or null where nothing may stand. */
export function schemaAt(path: readonly (string | number)[]): SettingSchema | null {
  let at: SettingSchema | undefined = settingsSchema();
  for (const name of path) {
    at = typeof name === "number" ? at?.items : at?.properties?.[name];
  }
  return at ?? null;
}

function settingsBelow(parent: SettingSchema, prefix: string): Setting[] {
  const isEntry = prefix.includes("[]");
  return Object.entries(parent.properties ?? {}).flatMap(([name, schema]) => {
    const key = prefix + name;
    if (schema.properties) return settingsBelow(schema, `${key}.`);
    const variable = isEntry ? null : (variableOf[key] ?? defaultVariable(key));
    const required = parent.required?.includes(name) ?? false;
    const entries = schema.items ? settingsBelow(schema.items, `${key}[].`) : [];
    return [{ key, variable, schema, required }, ...entries];
  });
}

/** `ingest.retry.baseMs` → `KNOWD_INGEST_RETRY_BASE_MS`. */
function defaultVariable(key: string): string {
  return `KNOWD_${key
    .replace(/([a-z])([A-Z])/g, "$1_$2")
    .replaceAll(".", "_")
    .toUpperCase()}`;
}
