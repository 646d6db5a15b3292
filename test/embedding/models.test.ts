import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { describe, expect, it, onTestFinished } from "vitest";
import { embeddingSection, type EmbeddingSettings } from "../../config/embedding-schema.ts";
import { locations } from "../../config/locations.ts";
import { EMBEDDED_FINGERPRINT } from "../../daemon/embedding/embedded.ts";
import { openEmbeddingModels, type EmbeddingModelsDeps } from "../../daemon/embedding/models.ts";
import { EmbeddingFailure, type EmbeddingModels } from "../../daemon/embedding/provider.ts";
import { HostFailure } from "../../daemon/runtime/host.ts";
import { openLog } from "../../daemon/runtime/log.ts";
import { openHost } from "../../daemon/runtime/open-host.ts";
import type { WorkerTasks } from "../../workers/contract.ts";
import { embedTexts, loadStaticModel } from "../../workers/embed/static-model.ts";
import { openEndpoint, openTestCache } from "./endpoint.ts";

const log = openLog({ level: "silent" });
const inThisThread = {
  run: (_task: string, input: unknown) =>
    Promise.resolve(embedTexts(input as WorkerTasks["texts.embed"]["input"])),
} as unknown as EmbeddingModelsDeps["workerHost"];

function failing(kinds: ConstructorParameters<typeof HostFailure>[0][]): EmbeddingModelsDeps["workerHost"] {
  const run: typeof inThisThread.run = (task, input, options) => {
    const kind = kinds.shift();
    return kind
      ? Promise.reject(new HostFailure(kind, `it ${kind}`))
      : inThisThread.run(task, input, options);
  };
  return { run };
}

function open(over: Partial<EmbeddingModelsDeps> = {}, models: object[] = []): EmbeddingModels {
  const config: EmbeddingSettings = embeddingSection.parse({ models });
  const opened = openEmbeddingModels({
    config,
    files: locations.embeddedModel,
    workerHost: inThisThread,
    apiKey: () => Promise.resolve(null),
    cache: openTestCache(),
    log,
    now: Date.now,
    retryBaseMs: 5,
    ...over,
  });
  onTestFinished(() => opened.close());
  return opened;
}

describe("the embedded model", () => {
  it("is always there, resumes by itself and is fused convexly", async () => {
    const models = open();
    const model = models.get("static-en-128")!;
    expect(models.ids()).toEqual(["static-en-128"]);
    expect(models.get("other")).toBeUndefined();
    expect(model).toMatchObject({ resumes: "always", fusion: { kind: "convex", alpha: 0.3 } });
    expect(model.files).toEqual(locations.embeddedModel);
    expect(await model.dimensions()).toBe(128);
  });

  it("has a fingerprint that changes with its numbers", () => {
    const hash = createHash("sha256").update(readFileSync(locations.embeddedModel.modelPath)).digest("hex");
    expect(EMBEDDED_FINGERPRINT).toBe(`knowd/static-en-128@${hash.slice(0, 8)}`);
  });

  it("embeds on the threads of the worker host, in order, over several tasks", async () => {
    const workerHost = openHost<WorkerTasks>({
      name: "worker host",
      entryUrl: locations.workerHost,
      init: { threads: 1 },
      heapLimitMb: 256,
      memoryLimitBytes: 2 ** 30,
      idleExitMs: null,
      maxInFlight: 1,
      maxQueued: 10,
      log,
    });
    onTestFinished(() => workerHost.stop());
    const texts = Array.from(
      { length: 300 },
      (_, at) => `the ${at}th question about the keys of house ${at * 7}`,
    );
    const vectors = await open({ workerHost }).get("static-en-128")!.embed(texts, "document");
    const model = loadStaticModel(locations.embeddedModel);
    expect(vectors).toHaveLength(300);
    vectors.forEach((vector, at) => expect(vector).toEqual(model.embed(texts[at]!)));
  });

  it("outlives a worker host that falls with somebody else's file", async () => {
    const models = open({ workerHost: failing(["crashed", "full"]) });
    expect(await models.get("static-en-128")!.embed(["x ray"], "query")).toHaveLength(1);
  });

  it.each([
    [["crashed", "crashed", "crashed"], "transient", "it crashed"],
    [["stopped"], "transient", "it stopped"],
    [["task"], "permanent", "install knowd again"],
  ] as const)("says after %j whether trying again may help", async (kinds, kind, words) => {
    const embedding = open({ workerHost: failing([...kinds]) })
      .get("static-en-128")!
      .embed(["x"], "document");
    const error = (await embedding.catch((reason: unknown) => reason)) as EmbeddingFailure;
    expect(error).toBeInstanceOf(EmbeddingFailure);
    expect(error.kind).toBe(kind);
    expect(error.message).toContain(words);
  });
});

describe("configured models", () => {
  it("stand beside it by their id, with their own fusion and resume", async () => {
    const endpoint = await openEndpoint();
    const one = { id: "one", url: endpoint.url, model: "x" };
    const models = open({}, [one, { ...one, id: "two", resume: "always", fusion: "convex" }]);
    expect(models.ids()).toEqual(["static-en-128", "one", "two"]);
    expect(models.get("one")).toMatchObject({ resumes: "ask", fusion: { kind: "rrf" }, files: null });
    expect(models.get("two")).toMatchObject({ resumes: "always", fusion: { kind: "convex", alpha: 0.3 } });
    expect(await models.get("one")!.embed(["text"], "document")).toHaveLength(1);
  });

  it("fail with a sentence when their key is missing", async () => {
    const endpoint = await openEndpoint();
    const apiKey = (): Promise<never> =>
      Promise.reject(new Error("the environment variable K is not set or empty"));
    const models = open({ apiKey }, [{ id: "one", url: endpoint.url, model: "x" }]);
    const error = await models
      .get("one")!
      .embed(["x"], "document")
      .catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      kind: "permanent",
      message: "one: the environment variable K is not set or empty",
    });
  });

  it("let go of what runs when they are closed", async () => {
    const endpoint = await openEndpoint(() => undefined);
    const models = open({}, [{ id: "one", url: endpoint.url, model: "x" }]);
    const running = models
      .get("one")!
      .embed(["x"], "document")
      .catch((reason: unknown) => reason);
    while (endpoint.asked.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    await models.close();
    expect(await running).toMatchObject({ kind: "transient", message: "the daemon is stopping" });
  });
});
