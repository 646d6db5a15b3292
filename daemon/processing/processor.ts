/** An external program or service that turns a file which knowd does not read into Markdown (OCR, for one). */
export interface Processor {
  readonly id: string;
  /** One word; another one when the configuration of the processor is another. */
  readonly revision: string;
  /** Lower case, without the dot. */
  readonly extensions: ReadonlySet<string>;
  /** unreadable: only files that knowd finds no text in itself. always: in place of its own reader. */
  readonly when: "unreadable" | "always";
  /** Answers the Markdown as it came: its encoding is the reader's to find out. Throws ProcessingFailure; nothing it began is left running. */
  run(input: ProcessorInput): Promise<Buffer>;
}

/** Those of the configuration. */
export interface Processors {
  get(id: string): Processor | undefined;
  ids(): string[];
}

export interface ProcessorInput {
  /** Absolute path, as the system takes it. */
  readonly file: string | Buffer;
  /** The file's name, for people and for services that go by the extension. */
  readonly name: string;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: ProcessingProgress) => void;
}

export interface ProcessingProgress {
  readonly done: number;
  /** Null while it is not known. */
  readonly total: number | null;
}

/** What a processor may give at most. */
export const MAX_MARKDOWN_BYTES = 64 * 1024 * 1024;

/** passing: another attempt may help, after `retryAfterMs` where the processor said so. permanent: this file will fail again. */
export class ProcessingFailure extends Error {
  override readonly name = "ProcessingFailure";
  readonly kind: "passing" | "permanent";
  readonly retryAfterMs: number | null;
  constructor(kind: "passing" | "permanent", message: string, retryAfterMs: number | null = null) {
    super(message);
    this.kind = kind;
    this.retryAfterMs = retryAfterMs;
  }
}

export function tooMuch(): ProcessingFailure {
  return new ProcessingFailure("permanent", `it gave more than ${MAX_MARKDOWN_BYTES / 1024 / 1024} MiB`);
}

export function tooLate(deadlineMs: number): ProcessingFailure {
  return new ProcessingFailure("permanent", `it took longer than its deadline of ${deadlineMs} ms`);
}

/** `progress 3/12` or `progress 3`, alone on a line. */
export function progressOf(line: string): ProcessingProgress | null {
  const found = /^progress (\d{1,9})(?:\/(\d{1,9}))?$/.exec(line.trim());
  if (found === null) return null;
  return { done: Number(found[1]), total: found[2] === undefined ? null : Number(found[2]) };
}
