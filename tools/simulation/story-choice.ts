import { MINUTE, SECOND } from "#runtime/durations";
import { anOperation, type Cast, castOf, registration } from "./operation-choice.ts";
import type { Behaviour, Operation, Person, Step, Subscriber, TimedOperation } from "./operations.ts";
import { isOrdealOf, promptExpiries, SWEEPS_AT, sentAgain } from "./ordeals.ts";
import { Random } from "./random.ts";
import { type Scene, sceneOf } from "./scenes.ts";
import type { Story } from "./story.ts";
import { faultsOf, isReleasing, troubleOf } from "./story-faults.ts";
import { expiriesOf, lateOperations, lengthOf } from "./story-length.ts";
import { behaviourOf, lastingSubscriber, settledAt, settlementOf } from "./story-subscribers.ts";

/** How long a burst of operations lasts, in ms. */
const BURST_MS = 40;
/** How long before notices expire a scene among sweeps begins, in ms. */
const SWEPT_MS = 2 * SECOND;
/** The least number of operations in a story. */
const LEAST_STEPS = 10;
/** The share of stories that contain a scene. */
const SCENES = 0.75;
const NO_SCENE: Scene = { moments: [] };
/**
 * How long a receiver fails if faults return while deliveries are released, in ms: until its deliveries wait in the
 * table, from the fourth attempt to the fifth.
 */
const FAILS_UNTIL_WAITING_MS = 10 * MINUTE;

/** The story of a seed. The same seed always gives the same story. */
export function storyOf(seed: number): Story {
  const random = new Random(`story ${seed}`);
  const organisations = random.chance(0.7) ? ["acme"] : ["acme", "globex"];
  /** The time of the first operations, in ms. */
  const spread = random.pick([200, 2 * SECOND, 2 * SECOND, 20 * SECOND, 5 * MINUTE]);
  const length = lengthOf(random);
  const hasLarge = length === "sweeps" || random.chance(0.15);
  const people = peopleOf(random, organisations);
  const settling = random.fork("settling");
  // Until then endpoints are only registered, and respond. Afterwards their events go to the delivery queue.
  const settled = settledAt(settling, spread);
  const subscribers = subscribersOf(random, organisations, () => behaviourOf(random, length, settled));
  const cast = castOf(random, { people, subscribers, hasLarge });
  const lasting = length === "letters" ? [lastingSubscriber(settling, people[0]?.orgId, settled)] : [];
  const settlement =
    settled > 0
      ? settlementOf(settling, subscribers.length + lasting.length, spread)
      : lasting.map((): TimedOperation => [0, registration(settling, subscribers.length)]);
  const early = earlyOperations(random, cast, { settlement, settled, spread });
  const late = lateOperations(random, length, cast);
  const staging = random.fork("scene");
  const ordeal = random.fork("ordeal");
  const isOrdeal = hasLarge && isOrdealOf(ordeal);
  const registered = settled > 0 ? [...subscribers.keys()] : [0];
  const scene = staging.chance(SCENES) ? sceneOf(staging, cast, { registered, isOrdeal }) : NO_SCENE;
  const isAmongSweeps = isOrdeal && length === "sweeps";
  const sceneAt = isAmongSweeps ? staging.pick(SWEEPS_AT) - SWEPT_MS : settled + staging.integer(0, spread);
  const steps = stepsOf({ early, late }, scene, {
    random: random.fork("sent again"),
    staging,
    sceneAt,
    settledAfter: 2 + settlement.length,
  });
  const { outage, faultsUntil } = troubleOf(random, length, { settled, spread });
  const pages = random.chance(0.3) && { pageBytes: 200_000 };
  const faults = faultsOf(random, length, { steps, ordeal: isOrdeal ? ordeal : undefined });
  const waiting: Behaviour = { kind: "fails", from: settled, until: settled + FAILS_UNTIL_WAITING_MS };
  return {
    seed,
    people,
    subscribers: [...subscribers, ...lasting].map((subscriber, index) => ({
      ...subscriber,
      behaviour:
        behaviourIn(scene, sceneAt, index) ??
        (isReleasing(faults) && index === 0 ? waiting : subscriber.behaviour),
    })),
    steps: steps.toSorted((left, right) => left.at - right.at),
    faultsUntil,
    ...pages,
    expiries: [
      ...expiriesOf(random.fork("expiries"), length),
      ...(isOrdeal ? promptExpiries(settled + spread, length === "sweeps") : []),
    ],
    ...(outage && !faults.onlyToCallers && { outage }),
    faults,
  };
}

function peopleOf(random: Random, organisations: readonly string[]): Person[] {
  return Array.from({ length: random.pick([1, 1, 2, 3]) }, (_, index) => ({
    orgId: random.pick(organisations),
    // Two organisations may know their candidates by the same identifier.
    externalId: random.chance(0.3) ? "person@example.com" : `person-${index}@example.com`,
  }));
}

function subscribersOf(
  random: Random,
  organisations: readonly string[],
  behaviour: () => Behaviour,
): Subscriber[] {
  return Array.from({ length: random.integer(1, 3) }, (_, index) => ({
    orgId: random.pick(organisations),
    url: `https://receiver-${index}.example.com/hooks`,
    behaviour: behaviour(),
  }));
}

/** A registration and a create, the settlement of endpoints, and then any operations, in the order of their times. */
function earlyOperations(
  random: Random,
  cast: Cast,
  {
    settlement,
    settled,
    spread,
  }: { readonly settlement: readonly TimedOperation[]; readonly settled: number; readonly spread: number },
): TimedOperation[] {
  const first: Operation[] = [
    registration(random, 0),
    { name: "create", person: 0, isLarge: cast.hasLarge && random.chance(0.5) },
  ];
  const others = Array.from({ length: LEAST_STEPS - 2 + random.integer(0, 18) }, () =>
    anOperation(random, cast),
  );
  const bursts = random.pick([undefined, scattered(random, spread), following(random, spread)]);
  const soon = first.map((operation): TimedOperation => [random.integer(0, spread / 20), operation]);
  const times = others
    .map(
      () =>
        settled + (bursts ? random.pick(bursts) + random.integer(0, BURST_MS) : random.integer(0, spread)),
    )
    .sort((left, right) => left - right);
  return [
    ...soon,
    ...settlement,
    ...others.map((operation, index): TimedOperation => [times[index] ?? 0, operation]),
  ];
}

/** The steps that are left if some after the first ones, at most `count`, make room for others. */
function withoutSome(random: Random, steps: readonly Step[], first: number, count: number): readonly Step[] {
  const least = Math.max(first, LEAST_STEPS);
  const removed = new Set(Array.from({ length: count }, () => random.integer(least, steps.length)));
  return steps.filter((_, index) => !removed.has(index));
}

/** The steps of a story. A scene takes the place of other operations after the first ones, `settledAfter` in number. */
function stepsOf(
  { early, late }: { readonly early: readonly TimedOperation[]; readonly late: readonly TimedOperation[] },
  scene: Scene,
  {
    random,
    staging,
    sceneAt,
    settledAfter,
  }: {
    readonly random: Random;
    readonly staging: Random;
    readonly sceneAt: number;
    readonly settledAfter: number;
  },
): readonly Step[] {
  const numbered = [...early, ...late].map(
    ([at, operation], index): Step => ({ number: index + 1, at, operation }),
  );
  return sentAgain(random, [
    ...withoutSome(staging, numbered.slice(0, early.length), settledAfter, scene.moments.length),
    ...numbered.slice(early.length),
    ...sceneSteps(scene, sceneAt, numbered.length + 1),
  ]);
}

function sceneSteps({ moments }: Scene, from: number, number: number): Step[] {
  let at = from;
  return moments.map(({ operation, after, again }, index) => {
    at += after;
    return { number: number + index, at, operation, ...(again !== undefined && { again }) };
  });
}

/** How a subscriber's receiver behaves if a scene changes that. */
function behaviourIn({ receiver }: Scene, from: number, subscriber: number): Behaviour | undefined {
  if (receiver?.subscriber !== subscriber) return undefined;
  return { kind: receiver.kind, from, until: from + receiver.lasts };
}

/** Bursts of operations at random times. */
function scattered(random: Random, spread: number): readonly number[] {
  return Array.from({ length: random.integer(1, 4) }, () => random.integer(0, spread));
}

/** Bursts that meet the SDK's retries of each other's requests: at once, or after the two seconds of an attempt. */
function following(random: Random, spread: number): readonly number[] {
  const first = random.integer(0, spread);
  return [first, first + random.integer(20, 600), first + random.integer(1_500, 2_600)];
}
