import { appendFileSync, readFileSync, renameSync, truncateSync, utimesSync, writeFileSync } from "node:fs";
import iconv from "iconv-lite";
import { describe, expect, it } from "vitest";
import type { ReadFileInput, SliceCursor, SliceOutcome } from "../../workers/contract.ts";
import { sha256 } from "../../workers/ids.ts";
import { readFiles } from "../../workers/read-files.ts";
import { readSlice } from "../../workers/read-slice.ts";
import {
  allSlices,
  expectSlice,
  inputFor,
  segmentsOf,
  SLICE_BYTES,
  soundUnits,
  textOf,
  written,
} from "../support/slices.ts";

const logLines = (count: number): string[] =>
  Array.from(
    { length: count },
    (_, at) => `2026-11-${(at % 28) + 1} host service[${at}]: request ${at} took ${at % 97} ms`,
  );

describe("files.readSlice", () => {
  it("K7.1 K7.6 text comes whole, each chunk a slice of its segment that knows its lines in the file", async () => {
    const lines = logLines(600);
    const file = written("big.log", `${lines.join("\r\n")}\r\n`);
    const slices = await allSlices(file);
    expect(slices.length).toBeGreaterThan(5);
    expect(textOf(slices)).toBe(`${lines.join("\n")}\n`);
    for (const unit of soundUnits(slices)) {
      const { lineStart = 0, lineEnd = 0 } = unit.locator ?? {};
      const place = lines.slice(lineStart - 1, lineEnd).join("\n");
      expect(place).toContain(unit.text);
      expect(unit.title).toBe("big");
    }
    expect(slices[0]).toMatchObject({
      format: "text",
      parser: expect.stringMatching(/^plain@\d+\+slices@\d+$/),
    });
  });

  it("files.read says which files are long, and reads all others", async () => {
    const file = written("big.log", logLines(100).join("\n"));
    const { outcomes } = await readFiles({
      files: [inputFor(file), inputFor(file, { longFileBytes: 100_000 })],
    });
    expect(outcomes.map((outcome) => outcome.kind)).toEqual(["long", "document"]);
    const page = written("page.html", `<p>${"words ".repeat(500)}</p>`);
    expect((await readFiles({ files: [inputFor(page)] })).outcomes[0]?.kind).toBe("document");
  });

  it("K8.5 an append changes no slice but the last", async () => {
    const file = written("big.log", `${logLines(400).join("\n")}\n`);
    const before = segmentsOf(await allSlices(file));
    appendFileSync(file, `${logLines(30).join("\n")}\n`);
    const after = segmentsOf(await allSlices(file));
    expect(after.slice(0, before.length - 1)).toEqual(before.slice(0, -1));
    expect(after.length).toBeGreaterThanOrEqual(before.length);
  });

  it("K11.1 bytes that are known already are not read again, unless by another reader", async () => {
    const file = written("big.log", logLines(100).join("\n"));
    const knownHash = sha256(readFileSync(file));
    const ask = (change: Partial<ReadFileInput>) => readSlice({ file: inputFor(file, change), cursor: null });
    const first = await ask({});
    const knownParser = expectSlice(first).parser;
    expect(await ask({ knownHash, knownParser })).toMatchObject({
      kind: "unchanged",
      key: 3,
      byteHash: knownHash,
    });
    expect((await ask({ knownHash, knownParser: "plain@1" })).kind).toBe("slice");
  });

  describe("a file that changes between two slices", () => {
    async function changed(change: (file: string) => void): Promise<SliceOutcome[]> {
      const file = written("big.log", `${logLines(300).join("\n")}\n`);
      let outcome = await readSlice({ file: inputFor(file), cursor: null, sliceBytes: SLICE_BYTES });
      change(file);
      const outcomes = [outcome];
      while (outcome.kind === "slice" && outcome.slice.next !== null) {
        outcome = await readSlice({
          file: inputFor(file),
          cursor: outcome.slice.next,
          sliceBytes: SLICE_BYTES,
        });
        outcomes.push(outcome);
      }
      return outcomes;
    }

    it("is read as it was when lines are added behind its end", async () => {
      const outcomes = await changed((file) => appendFileSync(file, "and one more\n"));
      const slices = outcomes.map(expectSlice);
      expect(textOf(slices)).toBe(`${logLines(300).join("\n")}\n`);
      const [first, last] = [outcomes[0], outcomes.at(-1)];
      expect(last).toMatchObject({ stamp: (first as { stamp: unknown }).stamp });
    });

    it.each<[string, (file: string) => void]>([
      ["written over", (file) => writeFileSync(file, `x${readFileSync(file, "utf8").slice(1)}`)],
      ["cut off", (file) => truncateSync(file, 6000)],
      [
        "replaced",
        (file) => {
          writeFileSync(`${file}.new`, readFileSync(file));
          renameSync(`${file}.new`, file);
        },
      ],
    ])("is changing when it is %s", async (_, change) => {
      expect((await changed(change)).at(-1)).toEqual({ kind: "changing", key: 3 });
    });

    it("is gone when it is gone, and whole when it was only touched", async () => {
      const gone = await changed((file) => renameSync(file, `${file}.away`));
      expect(gone.at(-1)).toMatchObject({ kind: "failed", failure: "gone" });
      const touched = await changed((file) => utimesSync(file, 1, 1));
      expect(touched.at(-1)?.kind).toBe("slice");
    });
  });

  it.each(["utf8", "utf16le", "utf16be", "windows-1252", "shift_jis", "gb18030", "koi8-r"])(
    "reads %s, cut between characters",
    async (encoding) => {
      const words: Record<string, string> = {
        "windows-1252": "Straße über Öl, gemütlich – naïve café. ",
        shift_jis: "これは日本語の文章です。検索のために読みます。",
        gb18030: "这是中文文本，用于搜索测试。请假制度说明。",
        "koi8-r": "Это русский текст для поиска и проверки. ",
      };
      const line = words[encoding] ?? "Größe 请假 😀 naïve. ";
      const text = Array.from({ length: 200 }, (_, at) => `${at} ${line.repeat(4)}`).join("\n");
      const mark = encoding.startsWith("utf16") ? "\uFEFF" : "";
      const slices = await allSlices(written("a.txt", iconv.encode(mark + text, encoding)));
      expect(slices.length).toBeGreaterThan(3);
      expect(textOf(slices)).toBe(text);
      soundUnits(slices);
    },
  );

  it("text whose first other character comes late is in the encoding that it shows there", async () => {
    const text = `${"plain words in ASCII alone\n".repeat(4000)}Straße über Öl, gemütlich, naïve café\n`;
    const slices = await allSlices(written("a.txt", iconv.encode(text, "windows-1252")), {
      sliceBytes: 60_000,
    });
    expect(textOf(slices)).toBe(text);
  });

  it("P9 a line without end is cut between characters, never refused", async () => {
    const text = `${"😀请".repeat(5000)} ${"word ".repeat(3000)}`;
    const slices = await allSlices(written("a.txt", text));
    expect(textOf(slices)).toBe(text);
    expect(textOf(slices)).not.toContain("\uFFFD");
    soundUnits(slices);
  });

  it("white space alone is no text", async () => {
    const file = written("a.txt", `a\n${" \n".repeat(9000)}`);
    expect(textOf(await allSlices(file))).toBe(`a\n${" \n".repeat(9000)}`);
    writeFileSync(file, "\n \n".repeat(9000));
    const outcomes: string[] = [];
    let cursor: SliceCursor | null = null;
    do {
      const outcome: SliceOutcome = await readSlice({ file: inputFor(file), cursor, sliceBytes: 9000 });
      outcomes.push(outcome.kind === "failed" ? outcome.failure : outcome.kind);
      cursor = outcome.kind === "slice" ? outcome.slice.next : null;
    } while (cursor !== null);
    expect(outcomes.at(-1)).toBe("no_text");
  });

  it("refuses what is too large, and never reads it", async () => {
    const file = written("big.log", logLines(100).join("\n"));
    const outcome = await readSlice({ file: inputFor(file, { maxBytes: 2000 }), cursor: null });
    expect(outcome).toMatchObject({ kind: "failed", failure: "too_large", byteHash: null });
  });
});
