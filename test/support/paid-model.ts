import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";

/** Lets the daemon of this home know a model behind HTTP, by its configuration file. */
export function configureModel(
  home: string,
  model: {
    readonly url: string;
    readonly id?: string;
    readonly model?: string;
    readonly documentPrefix?: string;
    readonly resume?: "ask" | "always";
  },
): void {
  const folder = path.join(home, "config", "knowd");
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    path.join(folder, "config.toml"),
    `[[embedding.models]]
id = "${model.id ?? "paid"}"
url = "${model.url}"
model = "${model.model ?? "some-model"}"
documentPrefix = "${model.documentPrefix ?? ""}"
resume = "${model.resume ?? "ask"}"
`,
  );
}
