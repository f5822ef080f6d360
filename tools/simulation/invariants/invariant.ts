import type { Ending } from "../simulation.ts";

/** A promise of the service, and how to see whether a story's ending breaks it. */
export interface Invariant {
  /** The promise, as a sentence. */
  readonly sentence: string;
  /** What breaks it, each as a sentence; none when it holds. */
  violations(ending: Ending): Iterable<string>;
}
