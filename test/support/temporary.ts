import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { onTestFinished } from "vitest";

/** A folder of the test's own, removed when it has finished. Short, since socket paths must fit 107 bytes. */
export function temporaryFolder(): string {
  const folder = makeFolder();
  onTestFinished(() => removeFolder(folder));
  return folder;
}

/** A folder that whoever asks for it removes. */
export function makeFolder(): string {
  return realpathSync(mkdtempSync(path.join(tmpdir(), "knowd-")));
}

export function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
