import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { knowd } from "../support/command.ts";
import { shareDaemon } from "../support/daemon.ts";
import { temporaryFolder } from "../support/temporary.ts";

const daemon = shareDaemon();

/** The file that a note was kept in, as `--json` names it. */
async function kept(args: readonly string[], input = ""): Promise<{ file: string; text: string }> {
  const { code, stdout, stderr } = await knowd(daemon().home, ["note", "--json", ...args], { input });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const { file } = JSON.parse(stdout) as { file: string };
  return { file, text: readFileSync(file, "utf8") };
}

describe("knowd note", () => {
  it("keeps words in the base called notes, and prints the file they are in", async () => {
    const { home } = daemon();
    const { code, stdout } = await knowd(home, ["note", "Call", "the plumber"]);
    expect(code).toBe(0);
    const [said, file] = stdout.trim().split("\n");
    expect(said).toBe("Kept in notes as Call the plumber.md:");
    expect(readFileSync(file ?? "", "utf8")).toMatch(/^---\ntype: "Note"\n[^]*---\nCall the plumber$/);
    const second = await kept(["another one"]);
    expect(path.dirname(second.file)).toBe(path.dirname(file ?? ""));
  });

  it("K5.3 takes a text from a file or from standard input, with a title of one's own and into a base that is named", async () => {
    const { client } = daemon();
    await client.call("base.create", { name: "work" });
    const file = path.join(temporaryFolder(), "a.md");
    writeFileSync(file, "\uFEFF# From a file\r\n\r\nbody");
    expect((await kept(["--file", file])).text).toContain("---\n# From a file\r\n\r\nbody");
    const piped = await kept(["--base", "work", "--title", "My: title"], "from a pipe\n");
    expect(piped.text).toContain('title: "My: title"');
    expect(piped.text.endsWith("---\nfrom a pipe\n")).toBe(true);
    expect((await kept(["--file", "-"], "dash")).text.endsWith("dash")).toBe(true);
  });

  it.each([
    ["blank", [], " \n\t", 2, "is blank"],
    ["larger than a message", [], "x".repeat(1_000_001), 2, "knowd add"],
    ["of characters that JSON writes long", [], "\u0001".repeat(200_000), 2, "KB at most"],
    ["text and file at once", ["words", "--file", "-"], "", 2, "leave one of them out"],
    ["in a base that is not there", ["--base", "nowhere", "text"], "", 4, 'no base "nowhere"'],
    ["in a file that is not there", ["--file", "/no/such/file"], "", 4, "can't be read"],
  ] as const)(
    "K6.4 answers a note that is %s with an exit code and a sentence",
    async (_, args, input, code, says) => {
      const { home, client } = daemon();
      const result = await knowd(home, ["note", ...args], { input });
      expect([result.code, result.stderr]).toEqual([code, expect.stringContaining(says)]);
      expect((await client.call("base.list", {})).items).toEqual([]);
    },
  );

  it("refuses bytes that are no UTF-8 text", async () => {
    const file = path.join(temporaryFolder(), "latin1.txt");
    writeFileSync(file, Buffer.from([0x66, 0xfc, 0x72]));
    const { code, stderr } = await knowd(daemon().home, ["note", "--file", file]);
    expect([code, stderr]).toEqual([2, expect.stringContaining("is no UTF-8 text")]);
    expect(readdirSync(path.dirname(file))).toEqual(["latin1.txt"]);
  });
});
