import type { Locator } from "../contract.ts";

/** What search_unit.locator_json holds: a unit's heading path and its place in the file. */
export interface UnitJson {
  readonly headings: string[];
  readonly locator: Locator | null;
}

const numbers = ["page", "lineStart", "lineEnd", "slide", "timestampMs"] as const;
const strings = ["sheet", "range", "chapter", "messageId"] as const;

/** Null when there is nothing to say. Equal input gives equal text. */
export function encodeUnitJson(headings: readonly string[], locator: Locator | null): string | null {
  const place = locator ? pickLocator(locator) : null;
  if (headings.length === 0 && !place) return null;
  return JSON.stringify({ ...(headings.length > 0 && { headings }), ...(place && { locator: place }) });
}

/** The inverse. Bases of other makers hold a bare locator or JSON of their own: what is not understood is left out. */
export function decodeUnitJson(json: string | null): UnitJson {
  const nothing: UnitJson = { headings: [], locator: null };
  if (json === null) return nothing;
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    // The column is free text in bases that knowd did not write; a unit without a locator still reads well.
    return nothing;
  }
  if (!isRecord(value)) return nothing;
  const headings = Array.isArray(value["headings"])
    ? value["headings"].filter((heading): heading is string => typeof heading === "string")
    : [];
  const place = isRecord(value["locator"]) ? value["locator"] : value;
  return { headings, locator: pickLocator(place) };
}

function pickLocator(source: Readonly<Record<string, unknown>> | Locator): Locator | null {
  const fields = source as Readonly<Record<string, unknown>>;
  const locator: Record<string, string | number> = {};
  for (const key of numbers) {
    const value = fields[key];
    if (typeof value === "number" && Number.isFinite(value)) locator[key] = value;
  }
  for (const key of strings) {
    const value = fields[key];
    if (typeof value === "string") locator[key] = value;
  }
  return Object.keys(locator).length > 0 ? locator : null;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
