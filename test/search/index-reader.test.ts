import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { openIndexReader } from "../../workers/search/index-reader.ts";
import { buildIndex } from "../support/build-index.ts";
import { temporaryFolder } from "../support/temporary.ts";

it("a fault that ends the snapshot inside SQLite is told as it is, and the next snapshot begins anew", () => {
  const index = buildIndex(path.join(temporaryFolder(), "index.sqlite"));
  onTestFinished(() => index.close());
  const reader = openIndexReader("base", index.path);
  onTestFinished(() => reader.close());
  const fail = (): never => {
    reader.statement("ROLLBACK").run();
    throw new Error("disk I/O error");
  };
  expect(() => reader.snapshot(fail)).toThrow("disk I/O error");
  expect(reader.snapshot(() => reader.statement("SELECT 1").pluck().get())).toBe(1);
});
