import { paint, plural } from "./print.ts";

/** ", 3 files not read, 12 files skipped", or nothing. Skipped ones are of a type that is not read: no cause for alarm. */
export function notRead({ failed, skipped }: { failed: number; skipped: number }): string {
  const parts = [
    failed > 0 ? paint.yellow(`${plural(failed, "file")} not read`) : "",
    skipped > 0 ? paint.dim(`${plural(skipped, "file")} skipped`) : "",
  ];
  return parts
    .filter((part) => part !== "")
    .map((part) => `, ${part}`)
    .join("");
}
