/** The thread of scan-thread.ts: it waits for jobs without an event loop, so that it begins at once. */
import { parentPort, receiveMessageOnPort, workerData } from "node:worker_threads";
import { kernelOver, type VectorKernel } from "../kernel/vector-kernel.ts";
import { PackedVectors } from "./packed-vectors.ts";
import {
  BELL,
  DONE,
  READY,
  SLOT_NUMBERS,
  SLOTS,
  type ScanMessage,
  type ScanThreadData,
} from "./scan-thread.ts";

const { control, results } = workerData as ScanThreadData;
/** By memory; another one when it has grown. */
const kernels = new Map<number, { readonly kernel: VectorKernel; readonly capacity: number }>();

function kernelFor({ memory, memoryId, capacity }: ScanMessage): VectorKernel {
  const known = kernels.get(memoryId);
  if (known?.capacity === capacity) return known.kernel;
  const kernel = kernelOver(memory);
  kernels.set(memoryId, { kernel, capacity });
  return kernel;
}

function work(job: ScanMessage): void {
  const slot = job.id % SLOTS;
  const from = slot * SLOT_NUMBERS;
  try {
    const packed = new PackedVectors(job.dimensions, kernelFor(job), job);
    const near = packed.nearestOf(job.scale, job.k, null);
    results[from] = near.length;
    near.forEach(({ number, cosine }, at) => {
      results[from + 1 + 2 * at] = number;
      results[from + 2 + 2 * at] = cosine;
    });
  } catch {
    // Who asked does it itself, and meets the same error there.
    results[from] = -1;
  }
  Atomics.store(control, DONE + slot, job.id);
  Atomics.notify(control, DONE + slot);
}

if (parentPort === null) throw new Error("this is the code of a thread");
Atomics.store(control, READY, 1);
for (let seen = 0; ;) {
  Atomics.wait(control, BELL, seen);
  seen = Atomics.load(control, BELL);
  for (;;) {
    const received = receiveMessageOnPort(parentPort);
    if (received === undefined) break;
    work(received.message as ScanMessage);
  }
}
