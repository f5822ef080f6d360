import { INVARIANTS } from "./invariants/invariants.ts";
import type { StoryOutcome } from "./outcome.ts";

/** A guarantee that a story violates, and the evidence. */
export interface Breach {
  readonly sentence: string;
  readonly evidence: readonly string[];
}

/** The guarantees that a story's outcome violates. */
export function breachesIn(outcome: StoryOutcome): Breach[] {
  return INVARIANTS.flatMap(({ sentence, violations }) => {
    const evidence = [...new Set(violations(outcome))];
    return evidence.length > 0 ? [{ sentence, evidence }] : [];
  });
}
