import type { StoryOutcome } from "../outcome.ts";

/** A guarantee of the service, and a check whether a story's outcome violates it. */
export interface Invariant {
  /** The guarantee, as a sentence. */
  readonly sentence: string;
  /** The violations, each as a sentence; none if the guarantee holds. */
  violations(outcome: StoryOutcome): Iterable<string>;
}
