import { vi } from "vitest";

/**
 * Loads the mutated file before any test does: what runs as a module is loaded belongs to no test, and Stryker takes
 * it for that of the test that happens to import the module first. What needs an environment is left to its tests.
 */
await import(`../../${process.env["MUTANTS_FILE"]}`).catch(() => {});
// Test files share a process, but not their modules: some replace a module, or what it reads as it is loaded.
vi.resetModules();
