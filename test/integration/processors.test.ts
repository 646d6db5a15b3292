import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { shareDaemon, startDaemon, type Daemon } from "../support/daemon.ts";
import { eventually } from "../support/eventually.ts";
import { photo, readsPhoto } from "../support/photo.ts";
import { itemOf } from "../support/questions.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { scannedPdf } from "../support/scanned-pdf.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Waits for a file beside itself, and says meanwhile how far it is. */
const waits =
  'echo run >> "$0.runs"; echo "progress 1/3" >&2; while [ ! -e "$0.go" ]; do sleep 0.1; done; tail -c +17 "$1"';

interface Processor {
  readonly id: string;
  readonly script?: string;
  readonly command?: readonly string[];
  readonly when?: "unreadable" | "always";
  readonly extension?: string;
}

const processors: readonly Processor[] = [
  { id: "ocr", script: readsPhoto },
  { id: "broken", script: 'echo "out of toner" >&2; exit 1' },
  {
    id: "converter",
    when: "always",
    extension: "html",
    script: 'echo "# Converted"; echo; echo "zqconverted by the tool"',
  },
  {
    id: "tesseract",
    extension: "pdf",
    command: ["sh", path.join(root, "config/examples/ocr.sh"), "{input}"],
  },
];

function configure(home: string, some: readonly Processor[] = processors): void {
  const config = path.join(home, "config", "knowd");
  mkdirSync(config, { recursive: true });
  const entries = some.map(({ id, script, command, when = "unreadable", extension = "png" }) => {
    const tool = path.join(home, id);
    if (script !== undefined) writeFileSync(tool, script);
    return (
      `[[processing.processors]]\nid = "${id}"\nextensions = ["${extension}"]\nwhen = "${when}"\n` +
      `command = ${JSON.stringify(command ?? ["sh", tool, "{input}"])}\n`
    );
  });
  writeFileSync(path.join(config, "config.toml"), entries.join("\n"));
}

const settings = { "ingest.graceMs": 300 };
const shared = shareDaemon(settings, configure);

/** A base that uses a processor, and a folder that is watched. */
async function start(fileProcessorId = "ocr", daemon: Daemon = shared()) {
  const folder = path.join(temporaryFolder(), "scans");
  mkdirSync(folder);
  const tool = path.join(daemon.home, fileProcessorId);
  rmSync(`${tool}.runs`, { force: true });
  const { client } = daemon;
  const { base } = await client.call("base.create", { name: "scans", fileProcessorId });
  await client.call("source.add", { baseId: base.id, path: folder });
  const runs = (): number =>
    existsSync(`${tool}.runs`) ? readFileSync(`${tool}.runs`, "utf8").split("\n").length - 1 : 0;
  const at = (name: string): string => path.join(folder, name);
  const settled = async (name: string) =>
    await eventually(async () => {
      const item = await itemOf(client, base.id, at(name));
      return ["completed", "failed"].includes(item.status) ? item : undefined;
    }, 20_000);
  const raw = path.join(daemon.dataDir, "KnowledgeBase", base.id, "raw");
  return {
    client,
    base,
    at,
    tool,
    runs,
    settled,
    owned: (): string[] =>
      (existsSync(raw) ? readdirSync(raw, { recursive: true }) : [])
        .map(String)
        .filter((name) => name.endsWith(".md")),
  };
}

describe("an external processor", () => {
  it("K5.1, K4 reads what knowd does not: its Markdown stands beside the file, is searched, and is made once for the same bytes", async () => {
    const { client, base, at, settled, owned, runs } = await start();
    writeFileSync(at("bill.png"), photo("# Bill\n\nzqinvoice of May\n"));
    expect(await settled("bill.png")).toMatchObject({
      status: "completed",
      title: "Bill",
      conceptId: "scans/bill.png",
    });
    expect(owned()).toEqual(["scans/bill.md"]);
    const { hits } = await client.call("search.query", { query: "zqinvoice" });
    expect(hits[0]).toMatchObject({ conceptId: "scans/bill.png", path: at("bill.png") });
    expect(runs()).toBe(1);

    const { id } = await itemOf(client, base.id, at("bill.png"));
    await client.call("item.reindex", { itemIds: [id] });
    await eventually(async () => ((await client.call("system.status", {})).idle ? true : undefined));
    expect([(await settled("bill.png")).status, runs()]).toEqual(["completed", 1]);

    writeFileSync(at("bill.png"), photo("zqreminder of June\n"));
    await eventually(async () => {
      const { hits: found } = await client.call("search.query", { query: "zqreminder" });
      return found.some((hit) => hit.text.includes("zqreminder")) ? true : undefined;
    });
    expect(runs()).toBe(2);

    renameSync(at("bill.png"), at("receipt.png"));
    await eventually(() => (owned().join() === "scans/receipt.md" ? true : undefined));
    expect([(await settled("receipt.png")).id, runs()]).toEqual([id, 2]);

    rmSync(at("receipt.png"));
    await eventually(() => (owned().length === 0 ? true : undefined));
  });

  it("K5.1 both names take the next one when another document has the place of the Markdown", async () => {
    const { client, base, at, settled } = await start();
    writeFileSync(at("a.md"), "zqnote beside\n");
    await settled("a.md");
    writeFileSync(at("a.png"), photo("zqscanned text\n"));
    expect(await settled("a.png")).toMatchObject({ status: "completed", conceptId: "scans/a_1.png" });
    const { items } = await client.call("item.list", { baseId: base.id, type: "file" });
    expect(items.map((item) => item.conceptId).sort()).toEqual(["scans/a.md", "scans/a_1.png"]);
  });

  it("that fails is the item's reason; other files, and a base without it, go on as before", async () => {
    const { client, at, base, settled } = await start("broken");
    writeFileSync(at("x.png"), photo("x"));
    writeFileSync(at("n.md"), "zqnote\n");
    expect(await settled("x.png")).toMatchObject({
      status: "failed",
      failure: "processing",
      error: expect.stringContaining("broken: it ended with exit code 1: out of toner"),
    });
    expect((await settled("n.md")).status).toBe("completed");
    await client.call("base.update", { baseId: base.id, fileProcessorId: null });
    const { id } = await itemOf(client, base.id, at("x.png"));
    await client.call("item.reindex", { itemIds: [id] });
    await eventually(async () =>
      (await itemOf(client, base.id, at("x.png"))).failure === "unsupported" ? true : undefined,
    );
    await expect(
      client.call("base.update", { baseId: base.id, fileProcessorId: "none" }),
    ).rejects.toMatchObject({
      errorName: "INVALID_FIELD",
    });
    await client.call("base.update", { baseId: base.id, fileProcessorId: "broken" });
    await eventually(async () =>
      (await itemOf(client, base.id, at("x.png"))).failure === "processing" ? true : undefined,
    );
  });

  it("K4.6 that runs when the daemon is killed begins anew with the next one; one whose job is cancelled is ended", async () => {
    const home = temporaryFolder();
    configure(home, [{ id: "slow", script: waits }]);
    const first = await startDaemon({ home, settings });
    const { client, at, base, runs, tool } = await start("slow", first);
    writeFileSync(at("slow.png"), photo("zqslow text\n"));
    const running = async (from: typeof client) => {
      const { processing } = await from.call("system.status", {});
      return processing[0]?.done === 1 ? processing[0] : undefined;
    };
    expect(await eventually(() => running(client))).toMatchObject({ processorId: "slow", done: 1, total: 3 });
    expect((await itemOf(client, base.id, at("slow.png"))).status).toBe("processing");
    await first.end("SIGKILL");

    const { client: next } = await startDaemon({ home, settings });
    await eventually(async () => ((await running(next)) && runs() === 2 ? true : undefined));
    const { items } = await next.call("job.list", {});
    const job = items.find((one) => one.kind === "process")!;
    await next.call("job.cancel", { jobId: job.id });
    await eventually(async () =>
      (await next.call("system.status", {})).processing.length === 0 ? true : undefined,
    );
    writeFileSync(`${tool}.go`, "");
    const { id } = await itemOf(next, base.id, at("slow.png"));
    await next.call("item.reindex", { itemIds: [id] });
    await eventually(async () =>
      (await itemOf(next, base.id, at("slow.png"))).status === "completed" ? true : undefined,
    );
  });

  it("that is to take a type always takes it in place of knowd's own reader", async () => {
    const { client, at, settled } = await start("converter");
    writeFileSync(at("p.html"), "<h1>Own</h1><p>zqown text</p>");
    expect(await settled("p.html")).toMatchObject({ title: "Converted", format: "html" });
    const { hits } = await client.call("search.query", { query: "zqown zqconverted" });
    expect(hits[0]?.text).toContain("zqconverted");
  });

  const hasTools = ["tesseract", "pdftoppm"].every(
    (tool) => spawnSync("sh", ["-c", `command -v ${tool}`]).status === 0,
  );
  it.skipIf(!hasTools)(
    "OCR by tesseract makes a scanned PDF answer, page by page (skipped without tesseract and pdftoppm)",
    async () => {
      const { client, at, settled } = await start("tesseract");
      writeFileSync(at("letter.pdf"), scannedPdf(["The quick brown fox", "jumps over lazy dogs"]));
      expect(await settled("letter.pdf")).toMatchObject({ status: "completed" });
      const { hits } = await client.call("search.query", { query: "lazy dogs" });
      expect(hits[0]).toMatchObject({ conceptId: "scans/letter.pdf", locator: { page: 2 } });
    },
    60_000,
  );
});
