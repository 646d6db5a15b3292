import { tooLargeReason } from "../byte-amount.ts";
import { readRefusal } from "./listing.ts";

/** Why a file is listed but not read; null when it is to be read. */
export function refusalOf(path: string, size: number, maxFileBytes: number): string | null {
  return size > maxFileBytes ? tooLargeReason(size, maxFileBytes) : readRefusal(path);
}
