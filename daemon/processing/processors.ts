import { createHash } from "node:crypto";
import type { DeepReadonly } from "../../config/load.ts";
import type { ProcessingSettings } from "../../config/processing-schema.ts";
import { runCommand } from "./command-processor.ts";
import { runHttp } from "./http-processor.ts";
import type { Processor, Processors } from "./processor.ts";
import { openWorkplace, type Workplace } from "./workplace.ts";

type ProcessorSettings = DeepReadonly<ProcessingSettings>["processors"][number];

/** The processors of the configuration. Their programs work in `folder`, which is theirs alone. */
export function openProcessors(settings: DeepReadonly<ProcessingSettings>, folder: string): Processors {
  const workplace = openWorkplace(folder);
  const byId = new Map(settings.processors.map((one) => [one.id, createProcessor(one, workplace)]));
  return { get: (id) => byId.get(id), ids: () => [...byId.keys()] };
}

function createProcessor(settings: ProcessorSettings, workplace: Workplace): Processor {
  const { id, extensions, when, command, url, deadlineMs } = settings;
  return {
    id,
    revision: createHash("sha256").update(JSON.stringify(settings)).digest("hex").slice(0, 16),
    when,
    extensions: new Set(extensions),
    run: (input) =>
      url === undefined
        ? runCommand({ command: command ?? [], deadlineMs }, input, workplace)
        : runHttp({ url, deadlineMs }, input),
  };
}
