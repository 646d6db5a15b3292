import type { Check } from "../../../rpc/contract/doctor.ts";

export function ok(id: string, found: string): Check {
  return { id, state: "ok", found, fix: null };
}

export function note(id: string, found: string, fix: string | null): Check {
  return { id, state: "note", found, fix };
}

export function problem(id: string, found: string, fix: string): Check {
  return { id, state: "problem", found, fix };
}

/** A path or word as a POSIX shell takes it, whatever stands in it. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** What was thrown, in a word for people. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** "1 base", "2 bases". */
export function amountOf(n: number, one: string): string {
  return `${n} ${one}${n === 1 ? "" : "s"}`;
}
