import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Rooms whose tests start daemons: a run that began one of them last would end with two cores waiting for it. */
const long = /\/test\/(?:integration|e2e|eval)\//;

class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification): boolean => long.test(moduleId);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

export default defineConfig({
  test: {
    root: new URL("..", import.meta.url).pathname,
    include: ["test/**/*.test.ts"],
    exclude: ["test/soak/**", "test/bench/**", "node_modules/**", "dist/**"],
    globalSetup: ["test/support/build-once.ts"],
    pool: "forks",
    // Each file in a process of its own would load the tree anew: a third of the time of small files. No test leaves
    // anything behind, so that files may follow each other in one.
    isolate: false,
    // Daemons mostly wait for timers and files: one more than the cores of a small machine keeps them busy.
    maxWorkers: 3,
    sequence: { sequencer: LongFirst },
    testTimeout: 30_000,
    hookTimeout: 30_000,
    fileParallelism: true,
  },
});
