export interface PlannedFile {
  readonly priority: number;
  readonly sizeBytes: number;
}

export interface BatchLimits {
  readonly files: number;
  readonly bytes: number;
}

/**
 * Cuts claimed work into batches for the worker host: small files travel together (a task costs 0.1 to 0.2 ms, a small
 * file less), a file over the byte limit goes alone, and what a person waits for never shares a batch with bulk work.
 */
export function planBatches<T extends PlannedFile>(files: readonly T[], limits: BatchLimits): T[][] {
  const batches: T[][] = [];
  let open: T[] = [];
  let bytes = 0;
  const close = (): void => {
    if (open.length > 0) batches.push(open);
    open = [];
    bytes = 0;
  };
  for (const file of [...files].sort((a, b) => a.priority - b.priority)) {
    const differs = open[0] !== undefined && open[0].priority !== file.priority;
    if (differs || open.length >= limits.files || bytes + file.sizeBytes > limits.bytes) close();
    open.push(file);
    bytes += file.sizeBytes;
  }
  close();
  return batches;
}
