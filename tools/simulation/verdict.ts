import { INVARIANTS } from "./invariants/invariants.ts";
import type { Ending } from "./simulation.ts";

/** A promise that a story breaks, and what in it breaks it. */
export interface Breach {
  readonly sentence: string;
  readonly evidence: readonly string[];
}

/** The promises that a story's ending breaks. */
export function breachesIn(ending: Ending): Breach[] {
  return INVARIANTS.flatMap(({ sentence, violations }) => {
    const evidence = [...new Set(violations(ending))];
    return evidence.length > 0 ? [{ sentence, evidence }] : [];
  });
}
