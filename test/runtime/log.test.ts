import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openLog } from "../../daemon/runtime/log.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "knowd-log-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

function lines(file: string): Record<string, unknown>[] {
  const text = readFileSync(file, "utf8");
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

test("each entry is one line of JSON with its level as a word, written before the call returns", () => {
  const file = path.join(folder, "state", "knowd.log");
  const log = openLog({ level: "info", destination: { path: file } });
  log.debug("not at this level");
  log.warn({ files: 3 }, "first\nand second line");
  log.child({ host: "worker" }).error(new Error("broken"));
  const [first, second, ...rest] = lines(file);
  expect(first).toMatchObject({ level: "warn", files: 3, msg: "first\nand second line" });
  expect(second).toMatchObject({ level: "error", host: "worker", err: { message: "broken" } });
  expect(rest).toEqual([]);
});

test.skipIf(process.platform === "win32")("only the user can read the log, which names files", () => {
  const file = path.join(folder, "knowd.log");
  openLog({ level: "info", destination: { path: file } }).info("x");
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test("a log over its size is put aside at open, one old file is kept, and a smaller one is continued", () => {
  const file = path.join(folder, "knowd.log");
  const open = (maxBytes: number) => openLog({ level: "info", destination: { path: file, maxBytes } });
  writeFileSync(`${file}.1`, "the oldest\n");
  writeFileSync(file, `${JSON.stringify({ msg: "x".repeat(100) })}\n`);
  open(1_000).info("continued");
  expect(lines(file)).toHaveLength(2);
  open(100).info("fresh");
  expect(lines(file).map(({ msg }) => msg)).toEqual(["fresh"]);
  expect(lines(`${file}.1`)).toHaveLength(2);
  expect(readdirSync(folder).sort()).toEqual(["knowd.log", "knowd.log.1"]);
});

test.skipIf(process.platform !== "linux")(
  "P4 a disk that takes nothing costs lines, never the caller",
  () => {
    const log = openLog({ level: "info", destination: { path: "/dev/full" } });
    for (let line = 0; line < 3; line++) expect(() => log.error({ line }, "the disk is full")).not.toThrow();
  },
);

test("P25 a log that grows while it is open is put aside too: two files of bounded size, and no line is lost at the turn", async () => {
  const file = path.join(folder, "knowd.log");
  const log = openLog({ level: "info", destination: { path: file, maxBytes: 2_000 } });
  for (let line = 0; line < 100; line++) log.info({ line }, "x".repeat(50));
  await new Promise((resolve) => setImmediate(resolve));
  for (let line = 100; line < 200; line++) log.info({ line }, "x".repeat(50));
  expect(readdirSync(folder).sort()).toEqual(["knowd.log", "knowd.log.1"]);
  const kept = [...lines(`${file}.1`), ...lines(file)].map(({ line }) => line as number);
  expect(kept).toEqual(Array.from({ length: kept.length }, (_, at) => 200 - kept.length + at));
  for (const name of readdirSync(folder)) expect(statSync(path.join(folder, name)).size).toBeLessThan(2_200);
});
