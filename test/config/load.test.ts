import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { readApiKey, type ApiKeyPlace } from "../../config/api-key.ts";
import { ConfigError } from "../../config/config-error.ts";
import { loadConfig, type LoadInput, type LoadedConfig } from "../../config/load.ts";

const home = mkdtempSync(join(tmpdir(), "knowd-config-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));

let files = 0;
interface Given {
  env?: Record<string, string>;
  toml?: string;
  json?: string;
  flags?: LoadInput["argvOverrides"];
}

function load({ env = {}, toml, json, flags = {} }: Given): Promise<LoadedConfig> {
  const text = toml ?? json;
  const configPath =
    text === undefined ? undefined : join(home, `c${files++}.${toml === undefined ? "json" : "toml"}`);
  if (configPath !== undefined) writeFileSync(configPath, text!);
  return loadConfig({
    env,
    platform: "linux",
    homeDir: home,
    uid: 1000,
    cwd: home,
    argvOverrides: flags,
    configPath,
  });
}

async function refusal(given: Given): Promise<string> {
  const error = await load(given).then(
    () => new Error("accepted"),
    (reason: unknown) => reason as Error,
  );
  expect(error).toBeInstanceOf(ConfigError);
  return error.message.replaceAll(home, "~").replaceAll(/c\d+\./g, "c.");
}

const model = `[[embedding.models]]\nid = "m"\nurl = "http://127.0.0.1:1/v1"\nmodel = "x"\n`;

describe("the layers", () => {
  it("give every setting its default when nothing is set", async () => {
    const { config, sources } = await load({});
    expect(config.limits).toEqual({
      maxFrameBytes: 1024 * 1024,
      maxBatch: 32,
      maxInFlightPerConnection: 16,
      maxInFlight: 128,
      maxConnections: 64,
      partialFrameMs: 3000,
      maxUnreadBytes: 4 * 1024 * 1024,
    });
    expect(config.ingest.threads).toBeGreaterThanOrEqual(1);
    expect(config.ingest.threads).toBeLessThanOrEqual(4);
    expect(config.base).toEqual({
      fileProcessorId: null,
      rerankModelId: null,
      chunkSize: 1024,
      chunkOverlap: 200,
      embeddingModelId: "static-en-128",
    });
    expect(config.watch.maxWatches).toBeNull();
    expect(sources["ingest.settleMs"]).toEqual({ kind: "default", where: "default" });
  });

  it("grow in weight from default over KNOWD_* and the file to the flag", async () => {
    const env = {
      KNOWD_INGEST_SETTLE_MS: "1",
      KNOWD_INGEST_BATCH_FILES: "1",
      KNOWD_INGEST_BATCH_BYTES: "5000",
    };
    const toml = "[ingest]\nsettleMs = 2\nbatchFiles = 2\n";
    const { config, sources } = await load({ env, toml, flags: { "ingest.settleMs": "3" } });
    expect(config.ingest).toMatchObject({ settleMs: 3, batchFiles: 2, batchBytes: 5000, graceMs: 30_000 });
    expect(sources["ingest.settleMs"]).toEqual({ kind: "flag", where: "--set ingest.settleMs" });
    expect(sources["ingest.batchFiles"]?.where).toMatch(/\.toml:3$/);
    expect(sources["ingest.batchBytes"]).toEqual({ kind: "environment", where: "KNOWD_INGEST_BATCH_BYTES" });
    expect(sources["ingest.graceMs"]?.kind).toBe("default");
  });

  it("take JSON as well as TOML, and lists from a variable", async () => {
    const json = '{"ingest": {"retry": {"maxAttempts": 3}}, "base": {"embeddingModelId": null}}';
    const { config } = await load({ json });
    expect(config.ingest.retry).toEqual({ baseMs: 2000, maxMs: 3_600_000, maxAttempts: 3 });
    expect(config.base.embeddingModelId).toBeNull();
    const models = '[{"id": "m", "url": "http://127.0.0.1:1/v1", "model": "x"}]';
    const listed = await load({
      env: { KNOWD_EMBEDDING_MODELS: models, KNOWD_BASE_EMBEDDING_MODEL_ID: "m" },
    });
    expect(listed.config.embedding.models).toMatchObject([
      { id: "m", resume: "ask", fusion: "rrf", batchSize: 32 },
    ]);
    expect(listed.config.base.embeddingModelId).toBe("m");
  });

  it("read none as null, and an empty variable as unset", async () => {
    const env = {
      KNOWD_BASE_EMBEDDING_MODEL_ID: "none",
      KNOWD_LOG_FILE: "",
      KNOWD_WATCH_MAX_WATCHES: "none",
    };
    const { config } = await load({ env });
    expect([config.base.embeddingModelId, config.log.file, config.watch.maxWatches]).toEqual([
      null,
      null,
      null,
    ]);
  });

  it("take relative paths from the file's folder or from where the command was given", async () => {
    const toml = `[log]\nfile = "logs/knowd.log"\n[data]\ndir = "here"\n${model}apiKeyFile = "~/key"\n`;
    const { config } = await load({ toml });
    expect(config.log.file).toBe(join(home, "logs/knowd.log"));
    expect(config.data.dir).toBe(join(home, "here"));
    expect(config.embedding.models[0]).toMatchObject({ apiKeyFile: join(home, "key") });
    const folder = `[[embedding.models]]\nid = "o"\nprovider = "onnx"\nfolder = "models/mini"\n`;
    const { embedding } = (await load({ toml: folder, flags: { "data.dir": "/srv/knowd" } })).config;
    expect(embedding.models[0]).toMatchObject({ folder: join(home, "models/mini"), resume: "always" });
    expect(embedding.onnxPackages).toBe("/srv/knowd/onnx");
    expect((await load({ flags: { "data.dir": "x/../y" } })).config.data.dir).toBe(join(home, "y"));
  });

  it("end in an object that can't be changed", async () => {
    const { config } = await load({ toml: model });
    expect(() => Object.assign(config.ingest.retry, { baseMs: 1 })).toThrow(TypeError);
    expect(() => Object.assign(config.embedding.models[0]!, { id: "other" })).toThrow(TypeError);
  });
});

describe("what is refused", () => {
  it.each<[string, Given, string]>([
    [
      "a setting's misspelt name",
      { toml: "\n[ingest]\nthread = 2\n" },
      "~/c.toml:3: there is no setting ingest.thread; did you mean ingest.threads?",
    ],
    [
      "a section's misspelt name",
      { toml: "[ingst]\nthreads = 2\n" },
      "~/c.toml:1: there is no setting ingst; did you mean ingest?",
    ],
    [
      "a setting without its section",
      { toml: "settleMs = 2\n" },
      "~/c.toml:1: there is no setting settleMs; did you mean ingest.settleMs?",
    ],
    ["a name like none", { toml: "[ingest]\ncolour = 2\n" }, "~/c.toml:2: there is no setting ingest.colour"],
    [
      "a misspelt variable",
      { env: { KNOWD_INGEST_THREAD: "2" } },
      "KNOWD_INGEST_THREAD: there is no such variable; did you mean KNOWD_INGEST_THREADS?",
    ],
    [
      "a misspelt flag",
      { flags: { "ingest.settlems": 2 } },
      "--set ingest.settlems: there is no setting ingest.settlems; did you mean ingest.settleMs?",
    ],
    [
      "a number beyond its bound",
      { toml: "[ingest]\nthreads = 99" },
      "~/c.toml:2: ingest.threads is 99, but must be a whole number from 1 to 64, or auto",
    ],
    [
      "a fraction",
      { env: { KNOWD_INGEST_SETTLE_MS: "1.5" } },
      "KNOWD_INGEST_SETTLE_MS: ingest.settleMs is 1.5, but must be a whole number of milliseconds from 0 to 60000",
    ],
    [
      "text for a number",
      { flags: { "search.deadlineMs": "5s" } },
      '--set search.deadlineMs: search.deadlineMs is "5s", but must be a whole number of milliseconds from 100 to 600000',
    ],
    [
      "a word that is not in the list",
      { json: '{\n "watch": {\n  "backend": "inotify"}}' },
      '~/c.json:3: watch.backend is "inotify", but must be one of directory, chokidar',
    ],
    [
      "a value where a section belongs",
      { toml: "ingest = 3" },
      "~/c.toml:1: ingest is 3, but must be a table",
    ],
    [
      "a section where a value belongs",
      { toml: "[log.level]\nx = 1" },
      '~/c.toml:1: log.level is {"x":1}, but must be one of trace, debug, info, warn, error, fatal, silent',
    ],
    [
      "a list that is not JSON",
      { env: { KNOWD_EMBEDDING_MODELS: "m" } },
      "KNOWD_EMBEDDING_MODELS: embedding.models must be a list written as JSON",
    ],
    [
      "a model without an address",
      { toml: '[[embedding.models]]\nid = "m"\nmodel = "x"' },
      "~/c.toml:1: embedding.models[0].url is missing: the provider openai needs it",
    ],
    [
      "a processor that is not given its file",
      { toml: '[[processing.processors]]\nid = "ocr"\nextensions = ["png"]\ncommand = ["ocr", "{file}"]' },
      "~/c.toml:4: processing.processors[0].command must name {input} among its arguments: where the file is put",
    ],
    [
      "a misspelt key of the second model",
      { toml: `${model}[[embedding.models]]\nid = "n"\nurl = "http://h/v1"\nmodell = "x"` },
      "~/c.toml:8: there is no setting embedding.models[1].modell; did you mean embedding.models[1].model?\n~/c.toml:5: embedding.models[1].model is missing: the provider openai needs it",
    ],
    [
      "two models of one id",
      { toml: model + model },
      "~/c.toml:6: embedding.models[1].id must be unlike every other model's id",
    ],
    [
      "a model with two keys",
      { toml: `${model}apiKeyEnv = "A"\napiKeyFile = "b"` },
      "~/c.toml:6: embedding.models[0].apiKeyFile can't stand beside apiKeyEnv: keep one of them",
    ],
    [
      "an overlap as large as the chunk",
      { toml: "[base]\nchunkSize = 100" },
      "default: base.chunkOverlap must be less than base.chunkSize (100)",
    ],
    [
      "a default model that is not configured",
      { toml: '[base]\nembeddingModelId = "m"' },
      "~/c.toml:2: base.embeddingModelId must be none or one of the configured models: static-en-128",
    ],
    ["TOML that is none", { toml: "[ingest]\nthreads = = 2" }, "~/c.toml:2: not valid TOML"],
    ["JSON that is none", { json: "{\n  threads" }, "~/c.json:2: not valid JSON"],
    ["JSON that is no object", { json: "[]" }, "~/c.json: the file must hold an object of sections"],
    ["a data folder that is no path", { toml: "[data]\ndir = 3" }, "~/c.toml:2: data.dir must be a path"],
    [
      "a key that would reach the prototype",
      { json: '{"__proto__": {"log": 1}}' },
      "~/c.json:1: there is no setting __proto__",
    ],
  ])("names its place and what is allowed: %s", async (_, given, message) => {
    expect(await refusal(given)).toContain(message);
  });

  it("is listed all at once", async () => {
    const message = await refusal({
      toml: "[ingest]\nthreads = 0\n[limits]\nmaxBatches = 1",
      env: { KNOWD_X: "1" },
    });
    expect(message.split("\n")).toHaveLength(3);
  });

  it.each<[string, Given]>([
    ["a key in the place of its variable's name", { toml: `${model}apiKeyEnv = "sk-s3cret"` }],
    ["a password in an address", { toml: model.replace("http://", "http://u:s3cret@") }],
    ["a key as a setting", { toml: `${model}apiKey = "sk-s3cret"` }],
    ["a key in JSON that can't be read", { env: { KNOWD_EMBEDDING_MODELS: '[{"apiKey": "sk-s3cret"' } }],
  ])("is never shown where it may be a secret: %s", async (_, given) => {
    expect(await refusal(given)).not.toContain("s3cret");
  });

  it("is a missing file only when it was asked for", async () => {
    const env = { KNOWD_CONFIG: join(home, "missing.toml") };
    expect(await refusal({ env })).toContain("~/missing.toml: the configuration file can't be read");
  });
});

describe("an endpoint's key", () => {
  it("may be kept in a variable that begins with KNOWD_", async () => {
    const { config } = await load({ toml: `${model}apiKeyEnv = "KNOWD_MY_KEY"`, env: { KNOWD_MY_KEY: "k" } });
    expect(await readApiKey(config.embedding.models[0] as ApiKeyPlace, { KNOWD_MY_KEY: "k" })).toBe("k");
    expect(JSON.stringify(config)).not.toContain('"k"');
  });

  it("is read anew from its file each time", async () => {
    const apiKeyFile = join(home, "key");
    writeFileSync(apiKeyFile, "first\n");
    expect(await readApiKey({ apiKeyFile }, {})).toBe("first");
    writeFileSync(apiKeyFile, "second");
    expect(await readApiKey({ apiKeyFile }, {})).toBe("second");
    expect(await readApiKey({}, {})).toBeNull();
  });

  it("is refused, unseen, when it is missing or no key", async () => {
    await expect(readApiKey({ apiKeyEnv: "NO_KEY" }, {})).rejects.toThrow("NO_KEY is not set or empty");
    await expect(readApiKey({ apiKeyFile: join(home, "none") }, {})).rejects.toThrow("can't be read");
    const broken = await readApiKey({ apiKeyEnv: "K" }, { K: "two\nlines" }).catch(
      (error: Error) => error.message,
    );
    expect(broken).toContain("holds more than a key");
    expect(broken).not.toContain("lines ");
  });
});
