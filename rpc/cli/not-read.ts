import { paint, plural } from "./print.ts";

interface Counts {
  readonly failed: number;
  readonly skipped: number;
  readonly warned: number;
}

/**
 * ", 3 files not read, 2 files in part, 12 files skipped", or nothing. Skipped ones are of a type that is not read: no cause
 * for alarm.
 */
export function notRead({ failed, skipped, warned }: Counts): string {
  const parts = [
    failed > 0 ? paint.yellow(`${plural(failed, "file")} not read`) : "",
    warned > 0 ? `${plural(warned, "file")} in part` : "",
    skipped > 0 ? paint.dim(`${plural(skipped, "file")} skipped`) : "",
  ];
  return parts
    .filter((part) => part !== "")
    .map((part) => `, ${part}`)
    .join("");
}
