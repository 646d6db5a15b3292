import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { copyMaterial } from "../../daemon/ingest/copy-material.ts";
import { dropCutOffImports, temporaryFor } from "../../daemon/ingest/place-material.ts";
import { openIndexRegistry } from "../../daemon/storage/index/registry.ts";
import { useCatalog } from "../support/catalog-fixture.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { silent } from "./watch-support.ts";

const fixture = useCatalog();
const hashOf = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

async function openCopies(bytes: Buffer) {
  const { catalog, base } = fixture;
  const dataDir = temporaryFolder();
  const folder = temporaryFolder();
  const registry = openIndexRegistry({ dataDir, onRecreated: () => undefined, maintenanceEntry: null });
  onTestFinished(() => registry.close());
  await registry.create(base.id, { substring: false });
  const file = path.join(folder, "a.md");
  writeFileSync(file, bytes);
  const source = fixture.source({ path: folder, copy: true });
  const item = fixture.file("notes/a.md", { sourceId: source.id, path: file });
  const deps = { catalog, registry, log: silent };
  return {
    deps,
    file,
    control: path.dirname(registry.indexPath(base.id)),
    raw: registry.rawPath(base.id),
    copy: (byteHash = hashOf(bytes)) => copyMaterial(deps, item, byteHash),
  };
}

const left = (control: string) => readdirSync(control).filter((name) => !name.startsWith("index.sqlite"));

describe("K11.4 a copy of a watched file", () => {
  it.each([0, 1, 3 * 1024 * 1024 + 17])("of %i bytes has them all", async (size) => {
    const bytes = Buffer.alloc(size, "some text ");
    const { copy, raw, control } = await openCopies(bytes);
    await copy();
    expect(hashOf(readFileSync(path.join(raw, "notes/a.md")))).toBe(hashOf(bytes));
    expect(left(control)).toEqual([]);
  });

  it("is not made of other bytes than the indexed ones, of a link or of a pipe, and leaves nothing behind", async () => {
    const { copy, file, raw, control } = await openCopies(Buffer.from("indexed\n"));
    writeFileSync(file, "written since\n");
    await copy();
    rmSync(file);
    await copy();
    writeFileSync(`${file}.other`, "indexed\n");
    symlinkSync(`${file}.other`, file);
    await copy();
    rmSync(file);
    execFileSync("mkfifo", [file]);
    await copy();
    expect([readdirSync(raw), left(control)]).toEqual([[], []]);
  });

  it("that a crash cut off is taken away at the next start", async () => {
    const { deps, control } = await openCopies(Buffer.from("text\n"));
    writeFileSync(temporaryFor(deps, fixture.base.id), "half of");
    mkdirSync(path.join(control, "other"));
    expect(left(control)).toHaveLength(2);
    dropCutOffImports(deps, fixture.base.id);
    expect(left(control)).toEqual(["other"]);
  });
});
