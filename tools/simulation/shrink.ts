import { breachesIn } from "./breaches.ts";
import type { StoryOutcome } from "./outcome.ts";
import { outcomeOf, type Trial } from "./search.ts";
import type { LeftOut } from "./simulation.ts";

/**
 * Finds a minimal story that violates the same invariant: leaves out steps and faults, many at a time at first, as
 * long as the invariant is still violated.
 */
export async function shrink(trial: Trial, seed: number, sentence: string): Promise<StoryOutcome> {
  let least = await outcomeOf(trial, seed);
  const leftOut = { steps: new Set<number>(), faults: new Set<number>() } satisfies LeftOut;
  const breaksStill = async (candidate: LeftOut) => {
    const outcome = await outcomeOf(trial, seed, candidate);
    if (!breachesIn(outcome).some((breach) => breach.sentence === sentence)) return false;
    least = outcome;
    return true;
  };
  const leaveOut = async (kind: keyof LeftOut, numbers: readonly number[]) => {
    for (let size = Math.ceil(numbers.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
      for (let start = 0; start < numbers.length; start += size) {
        const more = numbers.slice(start, start + size).filter((number) => !leftOut[kind].has(number));
        if (more.length === 0) continue;
        const candidate = { ...leftOut, [kind]: new Set([...leftOut[kind], ...more]) };
        if (await breaksStill(candidate)) for (const number of more) leftOut[kind].add(number);
      }
    }
  };
  // Without a step other faults happen, and without these faults another step may be unnecessary.
  let before: number;
  do {
    before = leftOut.steps.size + leftOut.faults.size;
    await leaveOut(
      "steps",
      least.story.steps.map(({ number }) => number),
    );
    await leaveOut(
      "faults",
      least.faults.map(({ number }) => number),
    );
  } while (leftOut.steps.size + leftOut.faults.size > before);
  return least;
}
