import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    root: new URL("..", import.meta.url).pathname,
    include: ["test/**/*.test.ts"],
    exclude: ["test/soak/**", "test/bench/**", "node_modules/**", "dist/**"],
    globalSetup: ["test/support/build-once.ts"],
    pool: "forks",
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 30_000,
    fileParallelism: true,
  },
});
