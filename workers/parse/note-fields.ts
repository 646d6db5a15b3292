import { wellFormed } from "./clean-text.ts";
import { titleFrom } from "./title.ts";

/** What notes say of themselves, in one form whatever program wrote them. */
export interface NoteFields {
  title?: string;
  tags?: string[];
  aliases?: string[];
  date?: string;
}

const MAX_ENTRIES = 200;
const MAX_ENTRY_LENGTH = 100;

const tagKeys = ["tags", "tag", "keywords", "categories", "category"];
const aliasKeys = ["aliases", "alias"];
const dateKeys = [
  "date",
  "created",
  "published",
  "pubdate",
  "publishdate",
  "publish_date",
  "published_at",
  "created_at",
  "createdat",
  "datepublished",
];
/** Tables in which some programs keep their tags. */
const nestedKeys = ["taxonomies", "extra", "params"];

/** `fields` as a program wrote them: keys in any case, lists or strings. */
export function noteFields(fields: Readonly<Record<string, unknown>>): NoteFields {
  const byKey = new Map<string, unknown>();
  for (const [key, value] of Object.entries(fields)) {
    const name = key.toLowerCase();
    if (nestedKeys.includes(name) && isRecord(value)) {
      for (const [inner, innerValue] of Object.entries(value))
        if (!byKey.has(inner.toLowerCase())) byKey.set(inner.toLowerCase(), innerValue);
    } else byKey.set(name, value);
  }
  const result: NoteFields = {};
  const title = titleFrom(byKey.get("title"));
  if (title !== null) result.title = title;
  const tags = distinct(tagKeys.flatMap((key) => tagList(byKey.get(key), key !== "keywords")));
  if (tags.length > 0) result.tags = tags;
  const aliases = distinct(aliasKeys.flatMap((key) => entries(byKey.get(key), /[,\n]/)));
  if (aliases.length > 0) result.aliases = aliases;
  const date = dateKeys.map((key) => isoDate(byKey.get(key))).find((value) => value !== null);
  if (typeof date === "string") result.date = date;
  return result;
}

/** A list, or a string parted by commas or, where it has none and `bySpaces` says so, by spaces; without the # in front. */
export function tagList(value: unknown, bySpaces = true): string[] {
  const separator = bySpaces && typeof value === "string" && !/[,;]/.test(value) ? /\s+/ : /[,;\n]/;
  return entries(value, separator)
    .map((tag) => tag.replace(/^#+/, ""))
    .filter((tag) => tag !== "");
}

/** Each once, whatever its case; the first spelling stays. */
export function distinct(values: readonly string[]): string[] {
  const seen = new Set<string>();
  const kept: string[] = [];
  for (const value of values) {
    const key = value.toLowerCase();
    if (seen.has(key) || kept.length >= MAX_ENTRIES) continue;
    seen.add(key);
    kept.push(value);
  }
  return kept;
}

const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const numeric =
  /^[<[]?(\d{4})([-/.]?)(\d{1,2})\2(\d{1,2})(?:[T ,]+(?:\p{L}{2,12}\.?[ ,]+)?(\d{1,2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?\s*(Z|UTC|GMT|[-+]\d{2}:?\d{2})?)?/u;
const monthFirst = /^(?:[a-z]{3,9},?\s+)?([a-z]{3,9})\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(\d{4})\b/i;
const dayFirst = /^(?:[a-z]{3,9},?\s+)?(\d{1,2})(?:st|nd|rd|th|\.)?\s+([a-z]{3,9})\.?,?\s+(\d{4})\b/i;

/** ISO 8601 where the value is a date that can be told, the value as it is where not; null where there is none. */
export function isoDate(value: unknown): string | null {
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  const text = titleFrom(value)?.slice(0, MAX_ENTRY_LENGTH);
  if (text === undefined) return null;
  // Longer numbers without marks count seconds, but for days with the time behind them.
  if (/^\d{9,}$/.test(text) && !/^\d{12}(?:\d{2})?$/.test(text)) return text;
  const [, year = "", , month = "", day = "", hour, minute, second, zone] = numeric.exec(text) ?? [];
  if (year !== "") {
    const date = isoDay(Number(year), Number(month), Number(day));
    if (date === null) return text;
    if (hour === undefined || minute === undefined || Number(hour) > 23) return date;
    return `${date}T${hour.padStart(2, "0")}:${minute}${second === undefined ? "" : `:${second}`}${isoZone(zone)}`;
  }
  const [, name = "", dayOf = "", yearOf = ""] = monthFirst.exec(text) ?? reorder(dayFirst.exec(text)) ?? [];
  const at = months.indexOf(name.slice(0, 3).toLowerCase());
  return (at === -1 ? null : isoDay(Number(yearOf), at + 1, Number(dayOf))) ?? text;
}

function isoDay(year: number, month: number, day: number): string | null {
  if (month < 1 || month > 12 || day < 1 || day > 31) return null;
  const two = (value: number): string => String(value).padStart(2, "0");
  return `${String(year).padStart(4, "0")}-${two(month)}-${two(day)}`;
}

function isoZone(zone: string | undefined): string {
  if (zone === undefined) return "";
  return /^[-+]/.test(zone) ? zone.replace(/^(...):?/, "$1:") : "Z";
}

function reorder(found: RegExpExecArray | null): (string | undefined)[] | null {
  return found === null ? null : [found[0], found[2], found[1], found[3]];
}

function entries(value: unknown, separator: RegExp): string[] {
  const values = Array.isArray(value) ? (value as unknown[]).slice(0, MAX_ENTRIES) : [value];
  const found: string[] = [];
  for (const entry of values) {
    const text = isRecord(entry) ? (entry["name"] ?? entry["title"]) : entry;
    if (typeof text !== "string" && typeof text !== "number") continue;
    const pieces = Array.isArray(value) ? [String(text)] : String(text).split(separator, MAX_ENTRIES);
    for (const piece of pieces) {
      const name = titleFrom(piece)
        ?.replace(/^["'](.*)["']$/, "$1")
        .slice(0, MAX_ENTRY_LENGTH);
      if (name !== undefined && name !== "") found.push(wellFormed(name));
    }
  }
  return found;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
