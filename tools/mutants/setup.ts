/**
 * Loads the mutated file before any test does: what runs as a module is loaded belongs to no test, and Stryker takes
 * it for that of the test that happens to import the module first. What needs an environment is left to its tests.
 */
await import(`../../${process.env["MUTANTS_FILE"]}`).catch(() => {});
