import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import type { Client } from "../../rpc/client.ts";
import { openEndpoint, sendVectors } from "../embedding/endpoint.ts";
import { startDaemon } from "../support/daemon.ts";
import { eventually } from "../support/eventually.ts";
import { configureModel } from "../support/paid-model.ts";
import { photo, readsPhoto } from "../support/photo.ts";
import { itemOf } from "../support/questions.ts";
import { temporaryFolder } from "../support/temporary.ts";

interface Settings {
  readonly script?: string;
  readonly when?: "unreadable" | "always";
  readonly extensions?: readonly string[];
  /** Address of a paid model, for the base to use. */
  readonly model?: string;
}

/** A daemon with one processor, and a base that uses it. */
async function start(settings: Settings = {}) {
  const home = temporaryFolder();
  const folder = path.join(home, "scans");
  mkdirSync(folder);
  const tool = path.join(home, "ocr");
  writeFileSync(tool, settings.script ?? readsPhoto);
  const config = path.join(home, "config", "knowd");
  mkdirSync(config, { recursive: true });
  if (settings.model !== undefined) configureModel(home, { url: settings.model });
  const configure = ({ when = "unreadable", extensions = ["png"] }: Settings): void =>
    (settings.model === undefined ? writeFileSync : appendFileSync)(
      path.join(config, "config.toml"),
      `[[processing.processors]]\nid = "ocr"\nextensions = ${JSON.stringify(extensions)}\nwhen = "${when}"\n` +
        `command = ${JSON.stringify(["sh", tool, "{input}"])}\n\n[base]\nfileProcessorId = "ocr"\n`,
    );
  configure(settings);
  const open = () => startDaemon({ home, settings: { "ingest.graceMs": 300 } });
  const daemon = await open();
  const { base } = await daemon.client.call("base.create", {
    name: "scans",
    ...(settings.model !== undefined && { embeddingModelId: "paid" }),
  });
  const raw = path.join(daemon.dataDir, "KnowledgeBase", base.id, "raw");
  return {
    ...daemon,
    open,
    configure,
    base,
    folder,
    raw,
    tool,
    at: (name: string): string => path.join(folder, name),
    watch: () => daemon.client.call("source.add", { baseId: base.id, path: folder }),
    runs: (): number =>
      existsSync(`${tool}.runs`) ? readFileSync(`${tool}.runs`, "utf8").split("\n").length - 1 : 0,
  };
}

const untilIdle = (client: Client) =>
  eventually(async () => ((await client.call("system.status", {})).idle ? true : undefined), 20_000);

describe("an external processor in trouble", () => {
  it("K5.1 that takes Markdown itself never writes over the file it was given", async () => {
    const { client, base, at, raw } = await start({
      when: "always",
      extensions: ["md"],
      script: 'echo "# Converted"; echo; echo "zqconverted"',
    });
    const own = "# Own\n\nzqown text of a person\n";
    writeFileSync(at("a.md"), own);
    await client.call("item.add", { baseId: base.id, paths: [at("a.md")], notes: [], onConflict: "rename" });
    await untilIdle(client);
    expect(readFileSync(path.join(raw, "a.md"), "utf8")).toBe(own);
    expect(readdirSync(raw).sort()).toEqual(["a.md", "a.md.md"]);
    const { hits } = await client.call("search.query", { query: "zqconverted" });
    expect(hits[0]?.conceptId).toBe("a.md");
  });

  it("K5.1 an owned file that takes another name for its Markdown's sake keeps its bytes, and its old name is free", async () => {
    const { client, base, at, raw } = await start();
    writeFileSync(at("a.md"), "zqnote\n");
    writeFileSync(at("a.png"), photo("zqscanned text\n"));
    const paths = [at("a.md"), at("a.png")];
    await client.call("item.add", { baseId: base.id, paths, notes: [], onConflict: "rename" });
    await untilIdle(client);
    expect(readdirSync(raw).sort()).toEqual(["a.md", "a_1.md", "a_1.png"]);
    expect(readFileSync(path.join(raw, "a_1.png"))).toEqual(photo("zqscanned text\n"));
  });

  it("K11.1 that gives what is no text fails the file with its own name, and hash and stamp stay those of the file", async () => {
    const { client, base, at, watch, runs, dataDir } = await start({
      script: `echo run >> "$0.runs"; cat "$1" "$1"`,
    });
    writeFileSync(at("blank.png"), photo("x"));
    await watch();
    const failed = await eventually(async () => {
      const item = await itemOf(client, base.id, at("blank.png"));
      return item.status === "failed" ? item : undefined;
    });
    expect(failed).toMatchObject({ failure: "no_text", error: expect.stringMatching(/^ocr: /) });
    const { default: Sqlite } = await import("better-sqlite3");
    const database = new Sqlite(path.join(dataDir, "catalog.sqlite"), { readonly: true });
    const row = database.prepare("SELECT size FROM ledger WHERE path = 'blank.png'").pluck().get();
    database.close();
    expect([row, runs()]).toEqual([photo("x").length, 1]);
  });

  it("K11.2 whose file goes away with its folder waits for it, and blames nobody", async () => {
    const { client, base, at, watch, folder, runs, tool } = await start({
      script: `echo run >> "$0.runs"; while [ ! -e "$0.go" ]; do sleep 0.1; done; tail -c +17 "$1"`,
    });
    writeFileSync(at("s.png"), photo("zqaway text\n"));
    await watch();
    await eventually(() => (runs() === 1 ? true : undefined));
    renameSync(folder, `${folder}-away`);
    await eventually(async () => {
      const { items } = await client.call("source.list", { baseId: base.id });
      return items[0]?.state === "unavailable" ? true : undefined;
    }, 20_000);
    writeFileSync(`${tool}.go`, "");
    await untilIdle(client);
    expect((await itemOf(client, base.id, at("s.png"))).error).toBeNull();
    renameSync(`${folder}-away`, folder);
    await eventually(
      async () => ((await itemOf(client, base.id, at("s.png"))).status === "completed" ? true : undefined),
      30_000,
    );
  }, 60_000);

  it("whose file has become a pipe does not wait for what is written to it", async () => {
    const { client, at, watch, runs, tool } = await start({
      script: `echo run >> "$0.runs"; while [ ! -e "$0.go" ]; do sleep 0.1; done; echo text`,
    });
    writeFileSync(at("p.png"), photo("zqpipe\n"));
    await watch();
    await eventually(() => (runs() === 1 ? true : undefined));
    rmSync(at("p.png"));
    execFileSync("mkfifo", [at("p.png")]);
    writeFileSync(`${tool}.go`, "");
    await untilIdle(client);
    expect((await client.call("system.status", {})).processing).toEqual([]);
  }, 40_000);

  it("that is configured otherwise than before gets what knowd could not read, once, at the next start", async () => {
    const first = await start({ extensions: ["png"] });
    const { client, base, at, watch, configure, open, runs } = first;
    writeFileSync(at("a.png"), photo("zqfirst\n"));
    writeFileSync(at("b.jpg"), photo("zqsecond\n"));
    await watch();
    await untilIdle(client);
    await eventually(async () =>
      (await itemOf(client, base.id, at("b.jpg"))).failure === "unsupported" ? true : undefined,
    );
    await first.end();

    configure({ extensions: ["png", "jpg"] });
    const second = await open();
    await eventually(async () =>
      (await itemOf(second.client, base.id, at("b.jpg"))).status === "completed" ? true : undefined,
    );
    expect(runs()).toBe(2);
    await second.end();
    const third = await open();
    await untilIdle(third.client);
    expect([(await itemOf(third.client, base.id, at("b.jpg"))).status, runs()]).toEqual(["completed", 2]);
  }, 40_000);

  it("K4.6 that was asked before a crash gives nothing to a model that costs money until a person says so", async () => {
    const endpoint = await openEndpoint((asked) => void sendVectors(asked));
    const first = await start({
      model: endpoint.url,
      script: `echo run >> "$0.runs"; while [ ! -e "$0.go" ]; do sleep 0.1; done; tail -c +17 "$1"`,
    });
    writeFileSync(first.at("s.png"), photo("zqpaid text\n"));
    await first.watch();
    await eventually(() => (first.runs() === 1 ? true : undefined));
    await first.end("SIGKILL");
    writeFileSync(`${first.tool}.go`, "");
    endpoint.asked.length = 0;

    const { client } = await first.open();
    await untilIdle(client);
    const { id, error } = await itemOf(client, first.base.id, first.at("s.png"));
    expect([error?.split(":")[0], endpoint.asked.length]).toEqual(["indexing_interrupted", 0]);
    const { items } = await client.call("job.list", {});
    expect(items).toMatchObject([{ kind: "process", state: "parked", itemId: id }]);
    expect(await client.call("job.retry", { jobId: items[0]!.id })).toEqual({ queued: 1 });
    await eventually(async () =>
      (await itemOf(client, first.base.id, first.at("s.png"))).status === "completed" ? true : undefined,
    );
  }, 40_000);
});
