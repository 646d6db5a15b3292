import { z } from "zod";

interface Range {
  readonly fallback: number;
  readonly min: number;
  readonly max: number;
}

/** A whole number with a unit; the unit stands in the settings table and in messages. */
function whole(unit: string, range: Range, description: string) {
  return z
    .int()
    .min(range.min)
    .max(range.max)
    .default(range.fallback)
    .meta({ description, ...(unit === "" ? {} : { unit }) });
}

export const milliseconds = (fallback: number, min: number, max: number, description: string) =>
  whole("ms", { fallback, min, max }, description);

export const bytes = (fallback: number, min: number, max: number, description: string) =>
  whole("bytes", { fallback, min, max }, description);

export const count = (fallback: number, min: number, max: number, description: string) =>
  whole("", { fallback, min, max }, description);

/** `none` stands for null, because TOML and environment variables have no null. */
export function orNone<T extends z.ZodType<string | number>>(value: T) {
  return z
    .union([z.literal("none"), z.null(), value])
    .transform((given): z.output<T> | null => (given === "none" ? null : (given as z.output<T> | null)));
}

/** A section may be left out: its settings then have their defaults. */
export function section<T extends z.ZodRawShape>(shape: T) {
  return z.strictObject(shape);
}

export const KIB = 1024;
export const MIB = 1024 * KIB;
export const GIB = 1024 * MIB;
export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
