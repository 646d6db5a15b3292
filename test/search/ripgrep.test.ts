import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { methodTable, type ParamsInput } from "../../rpc/contract/index.ts";
import { createRandom } from "../support/random.ts";
import { useSearch } from "../support/search-fixture.ts";
import { temporaryFolder } from "../support/temporary.ts";

type GrepInput = Partial<ParamsInput<"kb.grep">>;

const fixture = useSearch();
const isHere = spawnSync("rg", ["--version"]).status === 0;

const WORDS =
  "foo Foo foobar bar foo_bar a-b a.b aab aaa ab x1 12 2024-01-02 (x) [y] key keys 'key' key. straße STRASSE ſ K K k é É Ωmega ωMEGA 日本 日本語 😀 😀x ß ẞ ١".split(
    " ",
  );

/** Three texts of short lines, some empty, the last of each without an end now and then. */
function texts(): string[] {
  const random = createRandom(11);
  const pick = <T>(among: readonly T[]): T => among[Math.floor(random() * among.length)]!;
  const line = () =>
    Array.from({ length: Math.floor(random() * 6) }, () => pick(WORDS)).join(pick([" ", "", ", "]));
  return [40, 60, 90].map((count) => {
    const lines = Array.from({ length: count }, line);
    return `${lines.join("\n")}${pick(["", "\n", "end\n"])}x`;
  });
}

const PATTERNS = [
  "foo",
  "Foo",
  "^foo|bar$",
  "^$",
  "",
  ".",
  "a+b|x*",
  "(a|aa)b",
  "[a-c]+-",
  "[^a-z ]+$",
  "\\w+_\\w+",
  "\\bkey\\b",
  "\\Bo",
  "\\d+",
  "\\S+\\s\\S+\\s",
  "日.",
  "\\p{Greek}+|\\p{Han}{3}",
  "(?i)straße",
  "(?i)k|ß",
  "[[:alpha:]]+[[:digit:]]",
  "[a-z&&[^aeiou]]{3}",
  "(foo|bar)(foo|bar)?$",
  "\\(x\\)|\\[y\\]",
  "[0-9]{4}-[0-9]{2}",
  "(a+)+$",
  "'[^']*'",
  "a.b",
  "\\x{1F600}x?",
  "f.*o",
  "nowhere",
  "[^\\p{Lu}]\\p{Lu}{2}",
  "[--a]+b",
  "\\P{Lu}{6}$",
  "[[:^lower:]]{4}",
];

const MODES: readonly (readonly [flags: readonly string[], params: GrepInput])[] = [
  [["-s"], { caseSensitive: true }],
  [["-S"], {}],
  [["-i"], { caseSensitive: false }],
  [["-w", "-s"], { word: true, caseSensitive: true }],
  [["-x", "-s"], { wholeLine: true, caseSensitive: true }],
  [["-v", "-s"], { invert: true, caseSensitive: true }],
  [["-F", "-s"], { literal: true, caseSensitive: true }],
  [["-s", "-C1"], { caseSensitive: true, before: 1, after: 1 }],
  [["-S", "-B3", "-A2"], { before: 3, after: 2 }],
  [["-s", "-m3"], { caseSensitive: true, maxCount: 3 }],
  [["-s", "-e", "key"], { caseSensitive: true, patterns: ["key"] }],
  [["-S", "-v", "-w", "-C1"], { invert: true, word: true, before: 1, after: 1 }],
];

describe.skipIf(!isHere)("beside ripgrep, where it is installed", () => {
  it("K9.7 the same lines, and the same lines around them, for any pattern in any mode", async () => {
    const folder = temporaryFolder();
    const { add } = fixture.base();
    texts().forEach((text, at) => {
      writeFileSync(path.join(folder, `${at}.md`), text);
      add({ title: String(at), path: `${at}.md`, chunks: [text] });
    });
    for (const [at, pattern] of PATTERNS.entries()) {
      // Each pattern in a quarter of the modes, each mode with a quarter of the patterns.
      for (const [flags, params] of MODES.filter((_, mode) => (mode + at) % 4 === 0)) {
        const ours = await grepLines({ pattern, ...params });
        const asked = `${flags.join(" ")} ${pattern}`;
        expect({ asked, lines: ours }).toEqual({ asked, lines: ripgrep(folder, flags, pattern) });
      }
    }
  });

  it("K9.7 the same matches within lines, empty ones aside", async () => {
    const folder = temporaryFolder();
    const { add } = fixture.base();
    const [text = ""] = texts();
    writeFileSync(path.join(folder, "0.md"), text);
    add({ title: "0", path: "0.md", chunks: [text] });
    // A match that must not begin a word is looked for anew by ripgrep 13 as if the line began behind the one before.
    for (const pattern of PATTERNS.filter((one) => one !== "\\Bo")) {
      const { matches } = await grep({ pattern, caseSensitive: true });
      const ours = matches
        .filter(({ match }) => match !== "")
        .map(({ line, match }) => `0.md:${line}:${match}`);
      const theirs = ripgrep(folder, ["-s", "-o"], pattern).filter((line) => !/^0\.md:\d+:$/.test(line));
      expect({ pattern, lines: ours }).toEqual({ pattern, lines: theirs });
    }
  });
});

async function grep(params: GrepInput) {
  const parsed = methodTable["kb.grep"].params.parse({ limit: 5000, ...params });
  return await fixture.search.grep(parsed, { signal: new AbortController().signal, sendPart: null });
}

/** As ripgrep prints it. */
async function grepLines(params: GrepInput): Promise<string[]> {
  const hasContext = (params.before ?? 0) + (params.after ?? 0) > 0;
  const { matches } = await grep({ perLine: true, ...params });
  const lines: string[] = [];
  let last: { path: string; line: number } | null = null;
  for (const { conceptId: file, line, lineText, linesBefore = [], linesAfter = [] } of matches) {
    const first = line - linesBefore.length;
    if (hasContext && last && (last.path !== file || first > last.line + 1)) lines.push("--");
    lines.push(...linesBefore.map((text, at) => `${file}-${first + at}-${text}`));
    lines.push(`${file}:${line}:${lineText}`);
    lines.push(...linesAfter.map((text, at) => `${file}-${line + 1 + at}-${text}`));
    last = { path: file, line: line + linesAfter.length };
  }
  return lines;
}

function ripgrep(folder: string, flags: readonly string[], pattern: string): string[] {
  const fixed = ["--no-config", "--sort=path", "--no-heading", "--with-filename", "--color=never", "-n"];
  const { status, stdout, stderr } = spawnSync("rg", [...fixed, ...flags, "-e", pattern, "."], {
    cwd: folder,
    encoding: "utf8",
  });
  if (status === 2) throw new Error(stderr);
  return stdout
    .split("\n")
    .slice(0, -1)
    .map((line) => line.replace(/^\.\//, ""));
}
