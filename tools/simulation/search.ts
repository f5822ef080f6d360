import { plainClients } from "./aws/clients.ts";
import { sdkClients } from "./aws/sdk-clients.ts";
import { type Breach, breachesIn } from "./breaches.ts";
import type { Deployment } from "./deployment.ts";
import type { StoryOutcome } from "./outcome.ts";
import { type LeftOut, NOTHING, simulate } from "./simulation.ts";
import { storyOf } from "./story-choice.ts";

/**
 * How the functions reach AWS: through the SDK's own clients, or through clients that imitate them and are ten times
 * as fast.
 */
export type ClientKind = "sdk" | "plain";

/** What a search does with each seed. */
export interface Trial {
  readonly deployment: Deployment;
  readonly clients: ClientKind;
}

/** The outcome of the story of a seed. */
export function outcomeOf(
  { deployment, clients }: Trial,
  seed: number,
  leftOut: LeftOut = NOTHING,
): Promise<StoryOutcome> {
  return simulate(deployment, storyOf(seed), {
    leftOut,
    clientsOf: clients === "sdk" ? sdkClients : plainClients,
  });
}

/** The result of a seed. */
export interface TrialResult {
  readonly seed: number;
  readonly operations: number;
  readonly faults: number;
  readonly deliveries: number;
  readonly breaches: readonly Breach[];
}

/** Runs the story of a seed, and checks the invariants on its outcome. */
export async function search(trial: Trial, seed: number): Promise<TrialResult> {
  const outcome = await outcomeOf(trial, seed);
  return {
    seed,
    operations: outcome.story.steps.length,
    faults: outcome.faults.length,
    deliveries: outcome.posts.length,
    breaches: breachesIn(outcome),
  };
}
