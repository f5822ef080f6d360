import { type Runtime, runtime } from "#runtime/runtime";

/** Where a function runs, by a clock of the test's. */
export function runtimeAt(now: Runtime["now"]): Runtime {
  return { ...runtime, now };
}
