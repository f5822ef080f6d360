import { SECOND } from "#runtime/durations";
import { atOnce, type Moment, next } from "./moments.ts";
import type { Operation } from "./operations.ts";
import type { Random } from "./random.ts";

/**
 * A large write that replaces another one, or an attempt of it that the SDK repeats, ends within one of these, in ms.
 */
const SENT_AGAIN_MS = [40, 0.3 * SECOND, 2 * SECOND];
/** Many large writes have ended after this time, in ms. */
const LARGE_ENDED_MS = [0.1 * SECOND, 0.6 * SECOND] as const;

/** Large members that replace each other, several at a time, while some are sent again. */
export function largeOnesBeginAnew(random: Random, person: number): Moment[] {
  const amend = (): Operation => ({
    name: "amend",
    person,
    by: "stagedId",
    members: [random.pick(["documents", "documents", "assessments"])],
    isLarge: true,
  });
  const gap = random.integer(...LARGE_ENDED_MS);
  const sentAgain: Moment = {
    ...next(random, amend()),
    again: gap + random.integer(0, random.pick(SENT_AGAIN_MS)),
  };
  const between: Moment = { operation: amend(), after: gap };
  const atLast = Array.from({ length: random.integer(1, 3) }, () => amend());
  return [sentAgain, between, ...atOnce(random, atLast), ...atOnce(random, [amend(), amend()])];
}

/** The platform's assessments outgrow the item, and are added to and replaced there. */
export function assessedAtLength(random: Random, person: number): Moment[] {
  const identities = ["r1", "r2", "r3"].flatMap((result) =>
    (["proctor", "partner"] as const).map((provider) => ({ result, provider })),
  );
  const assess = (identity: (typeof identities)[number], isLarge: boolean): Operation => ({
    name: "assess",
    person,
    ...identity,
    title: random.pick(["Logic", "Writing"]),
    ...(isLarge && { isLarge }),
  });
  const again = (isLarge: boolean) => assess(random.pick(identities), isLarge);
  return [
    ...identities.map((identity) => ({
      operation: assess(identity, true),
      after: random.integer(...LARGE_ENDED_MS),
    })),
    ...atOnce(random, [again(random.chance(0.5)), again(false)]),
    next(random, { name: "get", person, by: "stagedId" }),
  ];
}

/** Members of which each fits into the item, but not both. */
export function largeOnesAtOnce(random: Random, person: number): Moment[] {
  const amend = (member: "documents" | "assessments"): Operation => ({
    name: "amend",
    person,
    by: "stagedId",
    members: [member],
    isLarge: true,
  });
  return [next(random, amend("documents")), ...atOnce(random, [amend("assessments"), amend("documents")])];
}
