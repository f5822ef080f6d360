import type { StoryOutcome } from "../simulation.ts";

/** A promise of the service, and how to see whether a story's outcome breaks it. */
export interface Invariant {
  /** The promise, as a sentence. */
  readonly sentence: string;
  /** What breaks it, each as a sentence; none when it holds. */
  violations(outcome: StoryOutcome): Iterable<string>;
}
