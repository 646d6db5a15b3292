import { writeFileSync } from "node:fs";
import path from "node:path";
import type { ProcessingProgress } from "../../daemon/processing/processor.ts";
import { openProcessors } from "../../daemon/processing/processors.ts";
import { temporaryFolder } from "./temporary.ts";

interface Given {
  readonly command?: string[];
  readonly url?: string;
  readonly deadlineMs?: number;
  readonly text?: string;
  readonly signal?: AbortSignal;
  /** Bytes, where it is no text. */
  readonly fileName?: Buffer;
}

/** Begins the run of a processor on a file of this text. */
export function runProcessor({ text = "scan", signal, deadlineMs = 20_000, fileName, ...how }: Given) {
  const folder = temporaryFolder();
  const file = path.join(folder, "a scan – é.pdf");
  const named = fileName ? Buffer.concat([Buffer.from(folder + path.sep), fileName]) : file;
  writeFileSync(named, text);
  const processors = openProcessors(
    {
      maxConcurrent: 1,
      processors: [{ id: "ocr", extensions: ["pdf"], when: "unreadable", deadlineMs, ...how }],
    },
    path.join(folder, "processing"),
  );
  const progress: ProcessingProgress[] = [];
  const bytes = processors.get("ocr")!.run({
    file: named,
    name: path.basename(named.toString()),
    signal: signal ?? new AbortController().signal,
    onProgress: (step) => progress.push(step),
  });
  const done = bytes.then((markdown) => markdown.toString());
  return { done, bytes, progress, folder, file };
}
