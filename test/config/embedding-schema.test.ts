import { describe, expect, it } from "vitest";
import { embeddingModel } from "../../config/embedding-schema.ts";

const http = { id: "m", url: "http://h/v1", model: "x" };
const folder = { id: "m", provider: "onnx", folder: "/models/m" };

/** `field: what is wrong`, of each thing that is wrong with a model's table. */
function problems(table: object): string[] {
  const { error } = embeddingModel.safeParse(table);
  return (error?.issues ?? []).map((issue) => `${issue.path.join(".")}: ${issue.message}`);
}

describe("a model's table", () => {
  it("is filled with what its provider has for what is left out", () => {
    expect(embeddingModel.parse(http)).toMatchObject({ provider: "openai", resume: "ask", fusion: "rrf" });
    expect(embeddingModel.parse({ id: "m", provider: "ollama", model: "x" })).toMatchObject({
      url: "http://127.0.0.1:11434",
      resume: "always",
    });
    expect(embeddingModel.parse(folder)).toMatchObject({ folder: "/models/m", threads: 1, resume: "always" });
    expect(embeddingModel.parse({ ...folder, resume: "ask" }).resume).toBe("ask");
  });

  it.each<[string, object, string]>([
    [
      "a setting of another provider",
      { ...http, keepAliveMs: 1 },
      "keepAliveMs: is no setting of the provider openai, but of ollama",
    ],
    [
      "a folder's setting of a model behind HTTP",
      { ...http, pooling: "cls" },
      "pooling: is no setting of the provider openai, but of onnx",
    ],
    [
      "an address of a folder",
      { ...folder, url: "http://h" },
      "url: is no setting of the provider onnx, but of openai and ollama",
    ],
    [
      "a folder that is not named",
      { id: "m", provider: "onnx" },
      "folder: is missing: the provider onnx needs it",
    ],
    [
      "a model that is not named",
      { id: "m", provider: "ollama" },
      "model: is missing: the provider ollama needs it",
    ],
    [
      "two places of one key",
      { ...http, apiKeyEnv: "A", apiKeyFile: "/k" },
      "apiKeyFile: can't stand beside apiKeyEnv: keep one of them",
    ],
  ])("is refused with the field and the reason: %s", (_, table, problem) => {
    expect(problems(table)).toEqual([problem]);
  });

  it("names its file inside of its folder alone", () => {
    expect(problems({ ...folder, modelFile: "onnx/model_int8.onnx" })).toEqual([]);
    expect(problems({ ...folder, modelFile: "/etc/passwd" })).toHaveLength(1);
  });
});
