import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import type { Source } from "../../rpc/contract/sources.ts";
import { isGone } from "../../daemon/ingest/is-gone.ts";
import type { LedgerRow } from "../../daemon/storage/catalog/ledger-contract.ts";
import { temporaryFolder } from "../support/temporary.ts";

function gone(folder: string, file: string): boolean {
  return isGone({ path: folder } as Source, { path: file } as LedgerRow);
}

describe("K11.2 a file of the ledger", () => {
  it("is gone when nothing is at its path, or a folder or a link, or a file where its folder was", () => {
    const folder = temporaryFolder();
    mkdirSync(path.join(folder, "d"));
    for (const name of ["a.md", "d/b.md"]) writeFileSync(path.join(folder, name), "text\n");
    expect([gone(folder, "a.md"), gone(folder, "d/b.md"), gone(folder, "d/c.md")]).toEqual([
      false,
      false,
      true,
    ]);
    rmSync(path.join(folder, "d"), { recursive: true });
    expect(gone(folder, "d/b.md")).toBe(true);
    writeFileSync(path.join(folder, "d"), "a file now\n");
    expect(gone(folder, "d/b.md")).toBe(true);
    rmSync(path.join(folder, "a.md"));
    symlinkSync("d", path.join(folder, "a.md"));
    expect(gone(folder, "a.md")).toBe(true);
  });

  it("is not taken for gone where nobody may look", () => {
    const folder = temporaryFolder();
    // A name that no file system takes: refused like a folder without permission, also for root.
    expect(gone(folder, `${"n".repeat(300)}/a.md`)).toBe(false);
    mkdirSync(path.join(folder, "closed"));
    chmodSync(path.join(folder, "closed"), 0o000);
    const asRoot = process.getuid?.() === 0;
    expect(gone(folder, "closed/a.md")).toBe(asRoot);
    chmodSync(path.join(folder, "closed"), 0o700);
  });
});
