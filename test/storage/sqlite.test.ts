import { mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import Sqlite from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  DatabaseMismatch,
  isCorruption,
  openDatabase,
  type Database,
  type OpenOptions,
} from "../../daemon/storage/sqlite.ts";

describe("a database of ours", () => {
  let folder = "";
  const opened: Database[] = [];
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), "knowd-sqlite-"));
  });
  afterEach(() => {
    for (const one of opened.splice(0)) one.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const first = { version: 1, sql: "CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT) STRICT" };
  function open(over: Partial<OpenOptions> = {}): Database {
    const database = openDatabase({
      path: path.join(folder, "a.sqlite"),
      applicationId: 0x6b74,
      migrations: [first],
      synchronous: "FULL",
      ...over,
    });
    opened.push(database);
    return database;
  }
  function mismatchOf(run: () => unknown): string {
    try {
      run();
    } catch (error) {
      if (error instanceof DatabaseMismatch) return error.kind;
      throw error;
    }
    return "none";
  }
  const rows = (database: Database): unknown[] =>
    database.statement("SELECT a FROM t ORDER BY a").pluck().all();

  it.each([
    ["FULL", 2],
    ["NORMAL", 1],
  ] as const)(
    "P3 the pragmas are what they are said to be: synchronous %s, WAL, foreign keys, busy timeout",
    (synchronous, value) => {
      const { raw } = open({ synchronous });
      const pragma = (name: string): unknown => raw.pragma(name, { simple: true });
      expect(
        ["synchronous", "journal_mode", "foreign_keys", "busy_timeout", "application_id", "user_version"].map(
          pragma,
        ),
      ).toEqual([value, "wal", 1, 5000, 0x6b74, 1]);
    },
  );

  it("P26 migrations run once and in order, and a database of a newer version is refused and left alone", () => {
    open().statement("INSERT INTO t VALUES (1, 'x')").run();
    opened.splice(0).forEach((one) => one.close());
    const second = { version: 2, sql: "ALTER TABLE t ADD COLUMN c TEXT DEFAULT 'new'" };
    const later = open({ migrations: [first, second] });
    expect(later.statement("SELECT * FROM t").get()).toEqual({ a: 1, b: "x", c: "new" });
    expect(mismatchOf(() => open())).toBe("newer");
    expect(later.raw.pragma("user_version", { simple: true })).toBe(2);
  });

  it("P26 a migration that fails leaves the version before", () => {
    open().close();
    const bad = { version: 2, sql: "CREATE TABLE u (a); INSERT INTO nowhere VALUES (1)" };
    expect(() => open({ migrations: [first, bad] })).toThrow(/nowhere/);
    const again = open();
    expect(again.raw.prepare("SELECT name FROM sqlite_schema").pluck().all()).toEqual(["t"]);
  });

  it("a file of another kind is foreign, a damaged one corrupt", () => {
    const other = new Sqlite(path.join(folder, "other.sqlite"));
    other.exec("CREATE TABLE t (a)");
    other.close();
    expect(mismatchOf(() => open({ path: path.join(folder, "other.sqlite") }))).toBe("foreign");
    writeFileSync(path.join(folder, "text"), "some text ".repeat(1000));
    expect(mismatchOf(() => open({ path: path.join(folder, "text") }))).toBe("corrupt");
    const database = open({ path: path.join(folder, "cut.sqlite") });
    database.transaction(() => {
      for (let n = 0; n < 5000; n++) database.statement("INSERT INTO t VALUES (?, ?)").run(n, "x".repeat(50));
    });
    opened.splice(0).forEach((one) => one.close());
    truncateSync(path.join(folder, "cut.sqlite"), 8192);
    let seen: unknown;
    try {
      rows(open({ path: path.join(folder, "cut.sqlite") }));
    } catch (error) {
      seen = error;
    }
    expect(seen instanceof DatabaseMismatch ? seen.kind === "corrupt" : isCorruption(seen)).toBe(true);
  });

  it("a statement is prepared once", () => {
    const database = open();
    expect(database.statement("SELECT 1")).toBe(database.statement("SELECT 1"));
  });

  it("a transaction is all or nothing, and the next one works", () => {
    const database = open();
    const insert = (a: number): unknown => database.statement("INSERT INTO t VALUES (?, '')").run(a);
    expect(() =>
      database.transaction(() => {
        insert(1);
        insert(1);
      }),
    ).toThrow(/UNIQUE/);
    expect(database.transaction(() => (insert(2), "value"))).toBe("value");
    expect(rows(database)).toEqual([2]);
  });

  it("one inside another is a part: an error undoes the part alone when it is caught, else all", () => {
    const database = open();
    const insert = (a: number): unknown => database.statement("INSERT INTO t VALUES (?, '')").run(a);
    const part = (a: number): void =>
      database.transaction(() => {
        insert(a);
        database.transaction(() => insert(a + 1));
        throw new Error("no");
      });
    database.transaction(() => {
      insert(1);
      expect(() => part(10)).toThrow("no");
      database.transaction(() => insert(2));
    });
    expect(rows(database)).toEqual([1, 2]);
    expect(() =>
      database.transaction(() => {
        insert(3);
        part(20);
      }),
    ).toThrow("no");
    expect(rows(database)).toEqual([1, 2]);
  });

  it("P3 a lazy transaction waits for no disk, the next one does again; inside another it is a part as any", () => {
    const database = open();
    const synchronous = (): unknown => database.raw.pragma("synchronous", { simple: true });
    const insert = (a: number): unknown => database.statement("INSERT INTO t VALUES (?, '')").run(a);
    expect(database.transaction(() => (insert(1), synchronous()), { lazy: true })).toBe(1);
    expect(() =>
      database.transaction(
        () => {
          insert(2);
          throw new Error("no");
        },
        { lazy: true },
      ),
    ).toThrow("no");
    expect(
      database.transaction(() => database.transaction(() => (insert(3), synchronous()), { lazy: true })),
    ).toBe(2);
    expect([rows(database), synchronous()]).toEqual([[1, 3], 2]);
  });

  it("K8.3 a transaction whose callback returns a promise throws and rolls back", () => {
    const database = open();
    expect(() =>
      database.transaction(async () => {
        database.statement("INSERT INTO t VALUES (1, '')").run();
        await Promise.reject(new Error("later"));
      }),
    ).toThrow(/synchronous/);
    expect(rows(database)).toEqual([]);
    expect(database.raw.inTransaction).toBe(false);
  });
});
