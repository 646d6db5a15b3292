import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createReaders } from "../../workers/search/readers.ts";
import { searchIndex } from "../../workers/search/search-index.ts";
import { createTokenizer } from "../../workers/search/tokenizer.ts";
import { buildIndex } from "../support/build-index.ts";
import { namedDocuments } from "../support/named-documents.ts";

/** Query, and the document that comes first. */
const table: readonly (readonly [query: string, first: string])[] = [
  ["package-lock.json", "lock"],
  ["package-lock", "lock"],
  ["packageLock", "lock"],
  ["package_lock", "lock"],
  ["lock-files.md", "lock"],
  ["docs/lock-files.md", "lock"],
  ["getUserName", "camel"],
  ["get_user_name", "camel"],
  ["getusername", "camel"],
  ["get-user-name", "camel"],
  ["readRow", "camel"],
  ["userName", "camel"],
  ["MAX_RETRY_COUNT", "snake"],
  ["maxRetryCount", "snake"],
  ["retryDelayMs", "snake"],
  ["retry_delay_ms", "snake"],
  ["C#", "csharp"],
  ["c#", "csharp"],
  ["csharp", "csharp"],
  ["C++", "cpp"],
  ["c++ engine", "cpp"],
  ["F#", "fsharp"],
  [".NET", "dotnet"],
  [".net runtime", "dotnet"],
  ["Go", "go"],
  ["go language", "go"],
  ["3f2a9c1d7e8b4a6f5c0d9e8f7a6b5c4d3e2f1a0b", "commit"],
  ["3f2a9c1", "commit"],
  ["commit 3f2a9c1d7e", "commit"],
  ["3f2b9c1d7e", "commit-other"],
  ["e3b0c44298fc", "sha"],
  ["550e8400-e29b-41d4-a716-446655440000", "uuid"],
  ["550e8400-e29b-41d4-a716-446655449999", "uuid-other"],
  ["CVE-2024-3094", "cve"],
  ["cve-2024-3094", "cve"],
  ["192.168.1.10", "ip"],
  ["192.168.10.1", "ip-other"],
  ["2001:db8::ff00:42:8329", "ipv6"],
  ["2.16.5", "version"],
  ["v2.16.5", "version"],
  ["anna.schmidt@example.org", "mail"],
  ["anna.schmidt", "mail"],
  ["--no-verify", "flag"],
  ["no-verify", "flag"],
  ["NODE_OPTIONS", "env"],
  ["--max-old-space-size", "env"],
  ["max-old-space-size=4096", "env"],
  ["https://docs.example.com/guide/getting-started", "url"],
  ["docs.example.com", "url"],
  ["TS2345", "error"],
  ["error ts2345", "error"],
  ["ENOENT", "errno"],
  ["ERR_MODULE_NOT_FOUND", "errno"],
  ["502 Bad Gateway", "http"],
  ["0x80070005", "hex"],
  ["80070005", "hex"],
  ["+49 30 1234567", "phone"],
  ["030 1234567", "phone"],
  ["+49301234567", "phone"],
  ["978-3-16-148410-0", "isbn"],
  ["9783161484100", "isbn"],
  ["2024-03-17", "date"],
  ["2024/03/17", "date"],
  ["#deepwork", "hashtag"],
  ["#garden/tomato", "hashtag"],
  ["@maria_k", "mention"],
  ["maria_k", "mention"],
  ["*.tsx", "glob"],
  [".tsx", "glob"],
  ["button.tsx", "glob"],
  ["button.css", "glob-other"],
  ["5GB", "gigabytes"],
  ["5 GB", "gigabytes"],
  ["50MB", "gigabytes-other"],
  ["/etc/nginx/sites-available/default", "path"],
  ["sites-available", "path"],
  ["C:\\ProgramData\\Acme\\agent.log", "windows"],
  ["agent.log", "windows"],
  ["@types/node", "scoped"],
  ["describe-instances", "cli"],
  ["aws ec2 describe-instances", "cli"],
  ["AT&T", "at-t"],
  ["R&D", "r-and-d"],
  ["TCP/IP", "tcp"],
  ["email arrives", "email-word"],
  ["newsletter sent by e-mail", "email-joined"],
  ["realtime", "email-word"],
  ["real time", "email-word"],
  ["cooperation", "email-word"],
  ["color center behavior organized", "colour"],
  ["Newton's laws", "possessive"],
  ["newtons laws", "possessive"],
  ["newton law", "possessive"],
  ["matrix", "plural"],
  ["index matrix", "plural"],
  ["Strasse", "strasse"],
  ["strasse muenchen", "strasse"],
  ["munchen", "strasse"],
  ["Bruecke", "strasse"],
  ["STRASSE", "strasse"],
  ["istanbul", "istanbul"],
  ["ISTANBUL", "istanbul"],
  ["kadikoy", "istanbul"],
  ["isik", "istanbul"],
  ["cafe besancon", "cafe"],
  ["데이터베이스", "korean"],
  ["서버", "korean"],
  ["데이터베이스 백업", "korean"],
  ["サーバ", "server-ja"],
  ["サーバー", "server-ja"],
  ["ユーザー", "user-ja"],
  ["ｻｰﾊﾞｰ", "server-ja"],
  ["登录", "hans"],
  ["ข้อมูล", "thai"],
  ["المكتبة", "arabic"],
  ["مكتبة", "arabic"],
  ["נסחה ספרייה", "hebrew"],
  ["ספרייה", "hebrew"],
  ["बैकअप", "hindi"],
  ["ABC-123", "fullwidth"],
  ["ＡＢＣ－１２３", "fullwidth"],
  ["office files", "ligature"],
  ["internationalisation", "soft"],
  ["vitamin A", "vitamin-a"],
  ["to be or not to be", "hamlet"],
  ["The Who", "who"],
  ["the who leeds", "who"],
  ["let it be", "beatles"],
  ["to do", "todo"],
  ["to do list", "todo"],
];

describe("names, numbers and spellings", () => {
  const tokenizer = createTokenizer();
  const readers = createReaders({ vectorCacheBytes: 1 << 20 });
  const folder = mkdtempSync(path.join(tmpdir(), "knowd-names-"));
  let search: (query: string) => string[];

  beforeAll(() => {
    const index = buildIndex(path.join(folder, "index.sqlite"));
    for (const document of namedDocuments) index.add(document);
    const target = { baseId: "base", indexPath: index.path };
    index.close();
    search = (query) =>
      searchIndex(readers.get(target), tokenizer, {
        ...target,
        query,
        queryVector: null,
        model: null,
        fusion: { kind: "rrf" },
        candidates: 10,
        perDocument: true,
        filters: null,
      }).candidates.map(({ materialId }) => materialId);
  });

  afterAll(() => {
    readers.closeAll();
    tokenizer.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it.each(table)("%s finds %s first", (query, first) => {
    expect(search(query)[0]).toBe(first);
  });
});
