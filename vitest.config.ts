import { defineConfig } from "vitest/config";

/** Over HTTP, against one local stack for all files. */
const OVER_HTTP = ["test/contract/**/*.test.ts", "test/browser/**/*.test.ts"];

/** Judge what the contract tests recorded. */
const AFTER_CONTRACT = "test/**/after-contract.test.ts";

// biome-ignore lint/style/noDefaultExport: Vitest reads its configuration from the default export.
export default defineConfig({
  test: {
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Most files wait for an engine more than they compute.
    maxWorkers: 3,
    projects: [
      {
        extends: true,
        test: { name: "unit", include: ["test/**/*.test.ts"], exclude: [...OVER_HTTP, AFTER_CONTRACT] },
      },
      {
        extends: true,
        test: {
          name: "contract",
          include: OVER_HTTP,
          globalSetup: ["test/global-setup.ts"],
        },
      },
      {
        extends: true,
        test: { name: "after contract", include: [AFTER_CONTRACT], sequence: { groupOrder: 1 } },
      },
    ],
  },
});
