import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    root: new URL("..", import.meta.url).pathname,
    include: ["test/**/*.test.ts"],
    exclude: ["test/soak/**", "test/bench/**", "node_modules/**", "dist/**"],
    globalSetup: ["test/support/build-once.ts"],
    pool: "forks",
    // Daemons mostly wait for timers and files: one more than the cores of a small machine keeps them busy.
    maxWorkers: 3,
    testTimeout: 30_000,
    hookTimeout: 30_000,
    fileParallelism: true,
  },
});
