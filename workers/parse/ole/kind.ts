import { oleNames } from "./directory.ts";

/** What an OLE compound file is ("application/x-cfb"). `encrypted` is a newer Office file behind a password. */
export type OleKind = "word" | "excel" | "powerpoint" | "outlook" | "encrypted" | "other";

const tellingNames: readonly (readonly [string, OleKind])[] = [
  ["EncryptedPackage", "encrypted"],
  ["\tDRMContent", "encrypted"],
  ["WordDocument", "word"],
  ["Workbook", "excel"],
  ["Book", "excel"],
  ["PowerPoint Document", "powerpoint"],
  ["__properties_version1.0", "outlook"],
  ["__nameid_version1.0", "outlook"],
];

/** Told by the names in its directory, whatever the file is called; null when the bytes are no such file. Never throws. */
export function oleKind(bytes: Uint8Array): OleKind | null {
  const names = oleNames(bytes);
  if (names === null) return null;
  const lower = new Set([...names].map((name) => name.toLowerCase()));
  return tellingNames.find(([name]) => lower.has(name.toLowerCase()))?.[1] ?? "other";
}
