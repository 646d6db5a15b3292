import { defineConfig } from "vitest/config";

/** Slow proofs: each prints its seed and its figures. */
export default defineConfig({
  test: {
    root: new URL("../..", import.meta.url).pathname,
    include: ["test/soak/**/*.test.ts"],
    globalSetup: ["test/support/build-once.ts"],
    pool: "forks",
    fileParallelism: false,
    testTimeout: 3_600_000,
    hookTimeout: 60_000,
  },
});
