import { plainClients } from "./aws/clients.ts";
import { sdkClients } from "./aws/sdk-clients.ts";
import type { Deployment } from "./deployment.ts";
import { type Ending, type LeftOut, NOTHING, simulate } from "./simulation.ts";
import { storyOf } from "./story.ts";
import { type Breach, breachesIn } from "./verdict.ts";

/** How the functions reach AWS: through the SDK's own clients, or through clients that imitate them, ten times as fast. */
export type ClientKind = "sdk" | "plain";

/** What a search does with a seed. */
export interface Trial {
  readonly deployment: Deployment;
  readonly clients: ClientKind;
}

/** How the story of a seed ends. */
export function endingOf(
  { deployment, clients }: Trial,
  seed: number,
  leftOut: LeftOut = NOTHING,
): Promise<Ending> {
  return simulate(deployment, storyOf(seed), {
    leftOut,
    clientsOf: clients === "sdk" ? sdkClients : plainClients,
  });
}

/** What was seen of a seed. */
export interface Finding {
  readonly seed: number;
  readonly operations: number;
  readonly faults: number;
  readonly deliveries: number;
  readonly breaches: readonly Breach[];
}

/** Runs the story of a seed, and judges its ending. */
export async function search(trial: Trial, seed: number): Promise<Finding> {
  const ending = await endingOf(trial, seed);
  return {
    seed,
    operations: ending.story.steps.length,
    faults: ending.faults.length,
    deliveries: ending.posts.length,
    breaches: breachesIn(ending),
  };
}
