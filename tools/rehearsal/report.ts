import type { Judgement } from "./end-to-end-tests.ts";
import type { Limit } from "./limits.ts";
import { amendments } from "./template-amendments.ts";

/** The end-to-end tests against the deployed API: how many passed, which did not, and why. */
export function endToEndTestReport({ passed, limited, failed, outdated }: Judgement): string {
  const known = [...limited.values()].flat().length;
  const lines = [
    `End-to-end tests: ${passed} passed, ${known} failed as expected because of the emulator's limits, ${failed.length} failed.`,
    ...failed.map(({ name, message }) => `  FAILED  ${name}\n          ${message}`),
    ...outdated.map(({ name }) => `  PASSED  although it is in limits.ts, so remove it there: ${name}`),
  ];
  return lines.join("\n");
}

/** By name, what the rehearsal does not show: what the emulator cannot do, and what was changed for it. */
export function limitsReport(limits: readonly Limit[], limited: Judgement["limited"]): string {
  return [
    "Limits of the emulator:",
    ...limits.map((limit) => {
      const tests = limited.get(limit)?.length;
      return `  ${limit.name}\n    ${limit.seen}${tests ? ` End-to-end tests that fail because of it: ${tests}.` : ""}`;
    }),
    "Differences between the deployed template and the synthesised one:",
    ...amendments.map(({ name, reason }) => `  ${name}\n    ${reason}`),
  ].join("\n");
}
