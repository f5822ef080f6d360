import { INVARIANTS } from "./invariants/invariants.ts";
import type { StoryOutcome } from "./simulation.ts";

/** A promise that a story breaks, and what in it breaks it. */
export interface Breach {
  readonly sentence: string;
  readonly evidence: readonly string[];
}

/** The promises that a story's outcome breaks. */
export function breachesIn(outcome: StoryOutcome): Breach[] {
  return INVARIANTS.flatMap(({ sentence, violations }) => {
    const evidence = [...new Set(violations(outcome))];
    return evidence.length > 0 ? [{ sentence, evidence }] : [];
  });
}
