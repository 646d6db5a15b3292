import type { DeepReadonly } from "../../config/load.ts";
import type { ProcessingSettings } from "../../config/processing-schema.ts";
import { runCommand } from "./command-processor.ts";
import { runHttp } from "./http-processor.ts";
import type { Processor, Processors } from "./processor.ts";

/** The processors of the configuration. */
export function openProcessors(settings: DeepReadonly<ProcessingSettings>): Processors {
  const byId = new Map(settings.processors.map((one) => [one.id, createProcessor(one)]));
  return { get: (id) => byId.get(id), ids: () => [...byId.keys()] };
}

function createProcessor({
  id,
  extensions,
  when,
  command,
  url,
  deadlineMs,
}: DeepReadonly<ProcessingSettings>["processors"][number]): Processor {
  return {
    id,
    when,
    extensions: new Set(extensions),
    run: (input) =>
      url === undefined
        ? runCommand({ command: command ?? [], deadlineMs }, input)
        : runHttp({ url, deadlineMs }, input),
  };
}
