import path from "node:path";
import { expect, it } from "vitest";
import { loadConfig } from "../../config/load.ts";
import { locations } from "../../config/locations.ts";
import { temporaryFolder } from "../support/temporary.ts";

it("the example of models and rerankers is a configuration that is taken as it is", async () => {
  const home = temporaryFolder();
  const { config } = await loadConfig({
    env: { XDG_RUNTIME_DIR: home },
    platform: "linux",
    homeDir: home,
    uid: process.getuid?.() ?? null,
    cwd: home,
    argvOverrides: {},
    configPath: path.join(locations.packageRoot, "config/examples/models.toml"),
  });
  expect(config.embedding.models.map(({ provider }) => provider)).toEqual(["openai", "ollama", "onnx"]);
  expect(config.embedding.models[2]).toMatchObject({
    folder: path.join(home, "models/multilingual-e5-small"),
  });
  expect(config.rerank.models.map(({ id }) => id)).toEqual(["llama-reranker", "tei-reranker", "cohere"]);
  expect(config.base).toMatchObject({ embeddingModelId: "ollama-nomic", rerankModelId: "llama-reranker" });
});
