import { allowedValues } from "./allowed-values.ts";
import { GIB, KIB, MIB } from "./setting-kinds.ts";
import { listSettings, type Setting } from "./settings-list.ts";

/** The README's table of all settings, as Markdown. The same on every machine. */
export function settingsTable(): string {
  const rows = listSettings().map((setting) => [
    `\`${setting.key}\``,
    defaultOf(setting),
    bounds(setting),
    setting.schema.description ?? "",
  ]);
  const lines = [["setting", "default", "allowed", "meaning"], ["---", "---", "---", "---"], ...rows];
  return lines.map((cells) => `| ${cells.map(escapeCell).join(" | ")} |`).join("\n");
}

function defaultOf({ schema, required }: Setting): string {
  if (schema.fallback !== undefined) return `\`${schema.fallback}\``;
  if (schema.default === undefined) return required ? "must be set" : "none";
  if (schema.default === null) return "none";
  if (typeof schema.default === "number") return withUnit(schema.default, schema.unit);
  if (schema.default === "" || (Array.isArray(schema.default) && schema.default.length === 0)) return "empty";
  return typeof schema.default === "string" ? `\`${schema.default}\`` : JSON.stringify(schema.default);
}

function bounds({ schema }: Setting): string {
  if (schema.type !== "integer") return allowedValues(schema);
  return `${withUnit(schema.minimum ?? 0, schema.unit)} to ${withUnit(schema.maximum ?? 0, schema.unit)}`;
}

function withUnit(value: number, unit: string | undefined): string {
  if (unit !== "bytes") return unit === undefined ? String(value) : `${value} ${unit}`;
  for (const [size, name] of [
    [GIB, "GiB"],
    [MIB, "MiB"],
    [KIB, "KiB"],
  ] as const) {
    if (value >= size && value % size === 0) return `${value} (${value / size} ${name})`;
  }
  return `${value}`;
}

function escapeCell(text: string): string {
  return text.replaceAll("|", "\\|");
}
