import { KnowdError } from "../runtime/errors.ts";

export interface ScanResult {
  readonly files: number;
  readonly changed: number;
  readonly gone: number;
  readonly complete: boolean;
}

/** Scans that somebody waits for, by the number under which the watcher's thread knows them. */
export interface ScanRequests {
  /** `send` hands the number to the thread; resolves when the scan's end has been delivered. */
  request(sourceId: string, send: (request: number) => Promise<void>): Promise<ScanResult>;
  resolve(request: number, result: ScanResult): void;
  /** The root is unavailable. */
  refuse(request: number, reason: string): void;
  /** All, or those of one source. */
  rejectAll(error: KnowdError, sourceId?: string): void;
}

interface Waiting {
  readonly sourceId: string;
  resolve(result: ScanResult): void;
  reject(error: KnowdError): void;
}

export function createScanRequests(): ScanRequests {
  const waiting = new Map<number, Waiting>();
  let last = 0;
  return {
    async request(sourceId, send) {
      const request = ++last;
      const result = new Promise<ScanResult>((resolve, reject) => {
        waiting.set(request, { sourceId, resolve, reject });
      });
      try {
        // Either may come first: the request may fail, and the scan may end before the request is answered.
        return await Promise.race([result, send(request).then(() => result)]);
      } finally {
        waiting.delete(request);
      }
    },
    resolve(request, { files, changed, gone, complete }) {
      waiting.get(request)?.resolve({ files, changed, gone, complete });
    },
    refuse(request, reason) {
      const scan = waiting.get(request);
      scan?.reject(new KnowdError("SOURCE_UNAVAILABLE", { sourceId: scan.sourceId, reason }));
    },
    rejectAll(error, sourceId) {
      for (const scan of waiting.values()) {
        if (sourceId === undefined || scan.sourceId === sourceId) scan.reject(error);
      }
    },
  };
}
