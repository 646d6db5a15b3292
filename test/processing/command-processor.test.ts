import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { openProcessors } from "../../daemon/processing/processors.ts";
import { eventually } from "../support/eventually.ts";
import { runProcessor } from "../support/run-processor.ts";

const shell = (script: string): string[] => ["sh", "-c", script, "processor", "{input}", "{output}"];
/** Without `{output}`: standard output is taken. */
const piped = (script: string): string[] => ["sh", "-c", script, "processor", "{input}"];

const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

describe("a command as processor", () => {
  it("gives what it writes to standard output, and tells how far it is", async () => {
    const script = 'echo "progress 1/2" >&2; printf "# Page of "; cat "$1"; echo "progress 2/2" >&2';
    const { done, progress } = runProcessor({ command: piped(script), text: "zqé" });
    expect(await done).toBe("# Page of zqé");
    expect(progress).toEqual([
      { done: 1, total: 2 },
      { done: 2, total: 2 },
    ]);
  });

  it("gives what it writes to its output file, in a folder that is gone afterwards", async () => {
    const { done } = runProcessor({ command: shell('pwd > "$2"; touch litter') });
    const folder = (await done).trim();
    expect(path.basename(folder)).toMatch(/^run-/);
    expect(existsSync(folder)).toBe(false);
  });

  it("gives its bytes as they are, whatever their encoding", async () => {
    const { bytes } = runProcessor({ command: piped("printf 'Gr\\374\\337e'") });
    expect(await bytes).toEqual(Buffer.from("Gr\u00fc\u00dfe", "latin1"));
  });

  it.skipIf(process.platform !== "linux")("finds a file whose name is no text", async () => {
    const fileName = Buffer.from("Gr\u00fc\u00dfe.pdf", "latin1");
    const { done } = runProcessor({ command: piped('echo "${1##*.}"; cat "$1"'), text: "zqbytes", fileName });
    expect(await done).toBe("pdf\nzqbytes");
  });

  it("is given names as they are: no shell reads them", async () => {
    const { done } = runProcessor({ command: ["printf", "%s", "$(touch /nowhere) `id` {input} $1"] });
    expect(await done).toMatch(/^\$\(touch \/nowhere\) `id` \/.* – é\.pdf \$1$/);
  });

  it.each([
    [
      "an exit code with the last line it said",
      'echo "first" >&2; echo "no pages" >&2; exit 3',
      "permanent",
      /exit code 3: no pages/,
    ],
    ["a wish to be tried again", "exit 75", "passing", /exit code 75/],
    ["an end by a signal", "kill -9 $$", "passing", /SIGKILL/],
    ["no output file", "true", "permanent", /wrote no output/],
    ["a pipe for an output file", 'mkfifo "$2"', "permanent", /wrote no output/],
  ])("fails plainly: %s", async (_, script, kind, message) => {
    const { done } = runProcessor({ command: shell(script) });
    await expect(done).rejects.toMatchObject({
      name: "ProcessingFailure",
      kind,
      message: expect.stringMatching(message),
    });
  });

  it("that can't be started says so, and may be tried again", async () => {
    const { done } = runProcessor({ command: ["/nowhere/ocr", "{input}"] });
    await expect(done).rejects.toMatchObject({
      kind: "passing",
      message: expect.stringContaining("/nowhere/ocr"),
    });
  });

  it.each([
    ["deadline", { deadlineMs: 1500 }, /longer than its deadline/],
    ["abort", {}, /stopping/],
  ])(
    "is ended at its %s with all that it started, also what ignores the request",
    async (how, settings, message) => {
      const controller = new AbortController();
      const script = `trap "" TERM; sleep 60 & echo "$!" > "$1.pid"; wait; sleep 60`;
      const { done, file } = runProcessor({ command: piped(script), signal: controller.signal, ...settings });
      const failure = done.catch((error: unknown) => error);
      const pid = await eventually(() => {
        const text = existsSync(`${file}.pid`) ? readFileSync(`${file}.pid`, "utf8").trim() : "";
        return text === "" ? undefined : Number(text);
      });
      if (how === "abort") controller.abort(new Error("stopping"));
      expect(String(await failure)).toMatch(message);
      await eventually(() => (isRunning(pid) ? undefined : true));
    },
  );

  it.skipIf(process.platform !== "linux")(
    "is done when it ends, though something it started elsewhere holds its output open",
    async () => {
      const script = 'setsid sleep 60 & echo "$!" > "$1.pid"; echo "# Whole"';
      const { done, file } = runProcessor({ command: piped(script) });
      expect(await done).toBe("# Whole\n");
      process.kill(Number(readFileSync(`${file}.pid`, "utf8")), "SIGKILL");
    },
  );

  it.skipIf(process.platform !== "linux")(
    "that a killed daemon has left running is ended by the next one, and what it left is taken away",
    async () => {
      const { file, folder, done } = runProcessor({ command: piped('echo "$$" > "$1.pid"; sleep 60') });
      const failure = done.catch((error: unknown) => error);
      const pid = await eventually(() => {
        const text = existsSync(`${file}.pid`) ? readFileSync(`${file}.pid`, "utf8").trim() : "";
        return text === "" ? undefined : Number(text);
      });
      openProcessors({ maxConcurrent: 1, processors: [] }, path.join(folder, "processing"));
      expect(String(await failure)).toMatch(/SIGKILL/);
      await eventually(() => (isRunning(pid) ? undefined : true));
      await eventually(() => (readdirSync(path.join(folder, "processing")).length === 0 ? true : undefined));
    },
  );

  it("that writes without end is ended, and kept within bounds", async () => {
    const { done } = runProcessor({
      command: piped("yes 0123456789012345678901234567890123456789012345678901234567890123"),
    });
    await expect(done).rejects.toMatchObject({
      kind: "permanent",
      message: expect.stringContaining("more than"),
    });
  }, 30_000);
});
