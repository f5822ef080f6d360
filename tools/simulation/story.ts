import { NETWORK_FAULTS, type NetworkFault, type ServiceName } from "./aws/network.ts";
import {
  amendment,
  anOperation,
  type Cast,
  castOf,
  REASONS,
  registration,
  some,
} from "./operation-choice.ts";
import type { Behaviour, Operation, Person, Step, Subscriber } from "./operations.ts";
import { isOrdealOf, ordealOf, promptExpiries, SWEEPS_AT, sentAgain } from "./ordeals.ts";
import { Random } from "./random.ts";
import { type Scene, sceneOf } from "./scenes.ts";

/**
 * Everything that a seed determines: people and subscribers, the steps and their times, and the frequency of faults.
 */
export interface Story {
  readonly seed: number;
  readonly people: readonly Person[];
  readonly subscribers: readonly Subscriber[];
  readonly steps: readonly Step[];
  /** When faults stop, in ms after the beginning. */
  readonly faultsUntil: number;
  /**
   * The amount that a query of the table reads for one page, in bytes. A smaller page than AWS's has the effect of
   * more parts.
   */
  readonly pageBytes?: number;
  /** Additional times at which DynamoDB removes a share of the expired items, in ms after the beginning. */
  readonly expiries: readonly { readonly at: number; readonly share: number }[];
  /** A service that refuses every request for a while, in ms after the beginning. */
  readonly outage?: { readonly service: ServiceName; readonly from: number; readonly until: number };
  readonly faults: {
    /** The share of requests to AWS that meet a fault. */
    readonly share: number;
    /** The requests, counted from 1, that certainly meet a fault. */
    readonly certain: readonly number[];
    /** Only these exchanges with callers, counted from 1, meet a fault, and no request to AWS does. */
    readonly onlyToCallers?: readonly number[];
    /** Among the requests that write candidates or endpoints, the share whose response is lost. */
    readonly lostWrites: number;
    /** The share of faults that are persistent: the same requests of an environment meet them for a while. */
    readonly sticky: number;
    /** At least one. */
    readonly kinds: readonly NetworkFault[];
    /** The share of invocations in which the environment ends. */
    readonly ends: number;
    /** The share of batches and messages that are delivered twice. */
    readonly repeats: number;
    /** The share of a queue's batches for which Lambda has no execution. */
    readonly throttles: number;
    /** The share of responses that are lost on the way to callers of the API. */
    readonly lostResponses: number;
    /** The share of candidates' events that the code cannot read. */
    readonly unknownEvents: number;
    /** A function whose requests meet more faults than those of others. */
    readonly focus?: {
      readonly functionName: string;
      /** Its only service with these faults; all if absent. */
      readonly service?: ServiceName;
      readonly share: number;
    };
    /** A later time in which faults happen again, in ms after the beginning. */
    readonly again?: { readonly from: number; readonly until: number };
  };
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** Longer than a tombstone is kept, in ms: 100 days (docs/data-model.md). */
const SEASON = 101 * DAY;
/** In a week, when receivers have failed for long enough for their endpoints to become inactive, in ms. */
const INACTIVE_AT = 5 * DAY + HOUR;
/**
 * In a story of dead letters, when the events of some of them happen, when the letters are redriven, and how long
 * that takes, in ms. All attempts of a delivery are made within 91 hours.
 */
const LETTERS_OF = HOUR;
const LETTERS_AT = 93 * HOUR;
const REDRIVING_MS = 5 * MINUTE;
/** How often some of the notices expire then, within how many ms, and the share of them that do each time. */
const EXPIRIES = { count: 6, within: 900, share: 0.4 };
/** How long a burst of operations lasts, in ms. */
const BURST_MS = 40;
/**
 * The share of stories whose endpoints have responded before anything else happens, and the time that this takes, in
 * ms.
 */
const SETTLED = 0.7;
const SETTLING_MS = 5 * SECOND;
/** How long before notices expire a scene among sweeps begins, in ms. */
const SWEPT_MS = 2 * SECOND;
/** The least number of operations in a story. */
const LEAST_STEPS = 10;
/** The share of stories that contain a scene. */
const SCENES = 0.75;
/**
 * The share of stories without any fault of AWS: nothing excuses a repetition, a delay or an error there, except
 * that callers lose a request or response. Clocks and receivers are as in others.
 */
const ONLY_TO_CALLERS = 0.15;
/** The share of stories with faults that concentrate on one function, and of its requests that meet one. */
const FOCUSED = { stories: 0.25, requests: [0.2, 0.5, 0.8] };
/** The share of the stories of sweeps in which AWS is slow, so that sweeps and large writes overlap, and how often. */
const SLOW = { stories: 0.5, requests: [0.2, 0.5] };
/**
 * The functions on which faults may concentrate, since a repetition of what they do must have no consequences. Each
 * has the operation that invokes it, or the length of the stories in which it works, unless it works in all.
 */
const FOCUSES: readonly {
  readonly functionName: string;
  readonly operation?: Operation["name"];
  readonly of?: Length;
  /** Whether it uses queues besides the table, so that the faults may be those of one of the two. */
  readonly hasQueues?: true;
}[] = [
  { functionName: "publish-events", hasQueues: true },
  { functionName: "publish-events", hasQueues: true },
  { functionName: "deliver-webhook", hasQueues: true },
  { functionName: "deliver-aside", hasQueues: true },
  { functionName: "retry-webhook", hasQueues: true },
  { functionName: "recover-events", operation: "recover", hasQueues: true },
  { functionName: "start-recovery", operation: "recover", hasQueues: true },
  { functionName: "recover-deliveries", operation: "recover", hasQueues: true },
  { functionName: "redrive-dead-letters", operation: "redrive", hasQueues: true },
  { functionName: "update-webhook-endpoint", operation: "update" },
  { functionName: "create-webhook-endpoint", operation: "register" },
  { functionName: "delete-webhook-endpoint", operation: "delete" },
  { functionName: "rotate-signing-secret", operation: "rotateSecret" },
  { functionName: "reseal-signing-secrets", operation: "reseal" },
  { functionName: "sweep-candidate-parts", of: "sweeps" },
  { functionName: "advance-candidate", operation: "advance" },
  { functionName: "amend-candidate", operation: "amend" },
  { functionName: "create-candidate", operation: "create" },
];
/**
 * When faults return while deliveries are released, in ms, and how long a receiver fails in such a story: until
 * its deliveries wait in the table, from the fourth attempt to the fifth.
 */
const RELEASES = { from: 20 * MINUTE, until: 3 * HOUR };
const FAILS_UNTIL_WAITING_MS = 10 * MINUTE;

/** The story of a seed. The same seed always gives the same story. */
export function storyOf(seed: number): Story {
  const random = new Random(`story ${seed}`);
  const organisations = random.chance(0.7) ? ["acme"] : ["acme", "globex"];
  const spread = random.pick([200, 2 * SECOND, 2 * SECOND, 20 * SECOND, 5 * MINUTE]);
  const length = random.weighted<Length>({
    minutes: 77,
    hours: 7,
    letters: 3,
    sweeps: 11,
    week: 3,
    season: 1,
  });
  const isLong = length !== "minutes" && length !== "letters";
  const hasLarge = length === "sweeps" || random.chance(0.15);
  const people = Array.from({ length: random.pick([1, 1, 2, 3]) }, (_, index) => ({
    orgId: random.pick(organisations),
    // Two organisations may know their candidates by the same identifier.
    externalId: random.chance(0.3) ? "person@example.com" : `person-${index}@example.com`,
  }));
  const settling = random.fork("settling");
  // Until then endpoints are only registered, and respond. Afterwards their events go to the delivery queue.
  const settled = settling.chance(SETTLED) ? spread / 20 + SETTLING_MS : 0;
  const subscribers = Array.from({ length: random.integer(1, 3) }, (_, index) => ({
    orgId: random.pick(organisations),
    url: `https://receiver-${index}.example.com/hooks`,
    behaviour: behaviour(random, length, settled),
  }));
  const cast = castOf(random, { people, subscribers, hasLarge });
  const lasting = length === "letters" ? [lastingSubscriber(settling, people[0]?.orgId, settled)] : [];
  const settlement =
    settled > 0
      ? settlementOf(settling, subscribers.length + lasting.length, spread)
      : lasting.map((): [number, Operation] => [0, registration(settling, subscribers.length)]);
  const operations: Operation[] = [
    registration(random, 0),
    { name: "create", person: 0, isLarge: hasLarge && random.chance(0.5) },
    ...settlement.map(([, operation]) => operation),
    ...Array.from({ length: LEAST_STEPS - 2 + random.integer(0, 18) }, () => anOperation(random, cast)),
  ];
  const bursts = random.pick([undefined, scattered(random, spread), following(random, spread)]);
  const first = () => random.integer(0, spread / 20);
  const later = () =>
    settled + (bursts ? random.pick(bursts) + random.integer(0, BURST_MS) : random.integer(0, spread));
  const times = [
    first(),
    first(),
    ...settlement.map(([at]) => at),
    ...operations
      .slice(2 + settlement.length)
      .map(later)
      .sort((left, right) => left - right),
  ];
  const late = lateOperations(random, length, cast);
  const staging = random.fork("scene");
  const ordeal = random.fork("ordeal");
  const isOrdeal = hasLarge && isOrdealOf(ordeal);
  const registered = settled > 0 ? [...subscribers.keys()] : [0];
  const scene = staging.chance(SCENES) ? sceneOf(staging, cast, { registered, isOrdeal }) : NO_SCENE;
  const isAmongSweeps = isOrdeal && length === "sweeps";
  const sceneAt = isAmongSweeps ? staging.pick(SWEEPS_AT) - SWEPT_MS : settled + staging.integer(0, spread);
  const numbered = [
    ...operations.map((operation, index): [number, Operation] => [times[index] ?? 0, operation]),
    ...late,
  ].map(([at, operation], index): Step => ({ number: index + 1, at, operation }));
  const steps = sentAgain(random.fork("sent again"), [
    ...withoutSome(
      staging,
      numbered.slice(0, operations.length),
      2 + settlement.length,
      scene.moments.length,
    ),
    ...numbered.slice(operations.length),
    ...stepsOf(scene, sceneAt, numbered.length + 1),
  ]);
  const trouble = length === "week" ? INACTIVE_AT : settled;
  const outage = random.chance(length === "week" ? 0.8 : isLong ? 0.5 : 0.03) && {
    service: random.pick([
      "dynamodb",
      "sqs",
      "secretsmanager",
      ...(length === "week" ? ["sqs" as const] : []),
    ] as const),
    from: trouble + random.integer(0, spread),
    // A record of the stream is retried for twelve hours, and is then a dead letter.
    until:
      trouble +
      spread +
      random.pick([10 * SECOND, 10 * MINUTE, 4 * HOUR, ...(length === "hours" ? [13 * HOUR] : [])]),
  };
  const faultsUntil =
    trouble + spread + random.pick([3 * SECOND, 10 * SECOND, 3 * MINUTE]) + (isLong ? 3 * HOUR : 0);
  const quiet = random.fork("quiet");
  const isOnlyToCallers = quiet.chance(ONLY_TO_CALLERS);
  const again = isOnlyToCallers ? {} : againOf(quiet, length);
  const isReleasing = again.again === RELEASES;
  const waiting: Behaviour = { kind: "fails", from: settled, until: settled + FAILS_UNTIL_WAITING_MS };
  const slowness = quiet.fork("slowness");
  const isSlow = length === "sweeps" && slowness.chance(SLOW.stories);
  const unknownEvents = quiet.chance(0.08) ? quiet.pick([0.2, 0.5]) : 0;
  return {
    seed,
    people,
    subscribers: [...subscribers, ...lasting].map((subscriber, index) => ({
      ...subscriber,
      behaviour:
        behaviourIn(scene, sceneAt, index) ?? (isReleasing && index === 0 ? waiting : subscriber.behaviour),
    })),
    steps: steps.toSorted((left, right) => left.at - right.at),
    faultsUntil: Math.max(faultsUntil, outage ? outage.until : 0),
    ...(random.chance(0.3) && { pageBytes: 200_000 }),
    expiries: [
      ...expiriesOf(random.fork("expiries"), length),
      ...(isOrdeal ? promptExpiries(settled + spread, length === "sweeps") : []),
    ],
    ...(outage && !isOnlyToCallers && { outage }),
    faults: {
      share: random.pick([0.01, 0.03, 0.08, 0.15]),
      sticky: random.pick([0, 0.1, 0.5]),
      certain: [random.integer(1, 4), random.integer(5, 8)],
      lostWrites: random.pick([0.02, 0.1, 0.1, 0.3]),
      kinds: some(random, NETWORK_FAULTS, 0.5),
      ends: random.pick([0, 0, 0.02, 0.1]),
      repeats: random.pick([0, 0, 0.05, 0.3]),
      lostResponses: random.pick([0, 0.05, 0.15]),
      throttles: random.pick([0, 0, 0.05, 0.3]),
      unknownEvents,
      ...(isSlow && { share: slowness.pick(SLOW.requests), kinds: ["slow"] as const }),
      ...(isOnlyToCallers && { onlyToCallers: [quiet.integer(1, 6), quiet.integer(7, 12)] }),
      ...again,
      ...(!isOnlyToCallers && focusOf(quiet, length, { steps, hasUnknown: unknownEvents > 0, isReleasing })),
      ...(isOrdeal && !isOnlyToCallers && ordealOf(ordeal, steps)),
    },
  };
}

/** Faults return when dead letters are redriven, and in some stories when waiting deliveries are released. */
function againOf(random: Random, length: Length): Pick<Story["faults"], "again"> {
  if (length === "letters") return { again: { from: LETTERS_AT, until: LETTERS_AT + REDRIVING_MS } };
  const returns = length === "minutes" && random.chance(0.15);
  return returns ? { again: RELEASES } : {};
}

/**
 * In stories of dead letters, faults concentrate on what puts these back; where they return, on what releases
 * deliveries; and in most stories of events that cannot be read, on what publishes those before them.
 */
function focusOf(
  random: Random,
  length: Length,
  {
    steps,
    hasUnknown,
    isReleasing,
  }: { readonly steps: readonly Step[]; readonly hasUnknown: boolean; readonly isReleasing: boolean },
): Pick<Story["faults"], "focus"> {
  const share = random.pick(FOCUSED.requests);
  if (length === "letters")
    return { focus: { functionName: "redrive-dead-letters", share: random.pick([0.15, 0.4]) } };
  if (isReleasing) return { focus: { functionName: "release-deliveries", share: 0.5 } };
  if (hasUnknown && random.chance(0.7))
    return { focus: { functionName: "publish-events", service: "dynamodb", share } };
  if (!random.chance(FOCUSED.stories)) return {};
  const names = new Set(steps.map(({ operation }) => operation.name));
  const { functionName, hasQueues } = random.pick(
    FOCUSES.filter(({ operation, of }) => (!operation || names.has(operation)) && (!of || of === length)),
  );
  const service = hasQueues && random.pick(["dynamodb", "sqs", undefined] as const);
  return { focus: { functionName, share, ...(service && { service }) } };
}

/**
 * The length of a story: `hours`, for people who return and events that are redriven; `letters`, for deliveries
 * that have had all their attempts and are redriven; `sweeps`, for large writes while the notices of earlier ones
 * expire; a `week`, for receivers that fail until their endpoint is inactive; a `season`, for the tombstone of an
 * erased person, which is kept for a hundred days.
 */
type Length = "minutes" | "hours" | "letters" | "sweeps" | "week" | "season";

/** The steps long after the beginning, and their times. */
function lateOperations(random: Random, length: Length, cast: Cast): [at: number, operation: Operation][] {
  const several = (at: number, within: number): [number, Operation][] =>
    Array.from({ length: random.integer(2, 6) }, () => [
      at + random.integer(0, within),
      anOperation(random, cast),
    ]);
  const rejection = {
    name: "advance",
    person: 0,
    transition: "fail-validation",
    reason: random.fork("rejection").pick(REASONS),
  } as const;
  switch (length) {
    case "minutes":
      return [];
    case "hours":
      return [
        ...several(random.pick([1.5, 3, 23.5, 31]) * HOUR, 5 * SECOND),
        // A stream keeps its records for a day, and the retries of a delivery take longer.
        [17 * HOUR, { name: "redrive", queue: "events" }],
        [17 * HOUR, { name: "redrive", queue: "sweeps" }],
        [34 * HOUR, { name: "redrive", queue: "deliveries" }],
      ];
    case "letters":
      return [
        [LETTERS_OF, { name: "create", person: 0, isLarge: false }],
        [LETTERS_OF + SECOND, rejection],
        ...several(LETTERS_AT, REDRIVING_MS),
        // Two at once, and later ones for what those before them have received without a result.
        ...[0, 0, 0.3, 0.6, 0.9].map((share): [number, Operation] => [
          LETTERS_AT + REDRIVING_MS * share + random.integer(0, 5 * SECOND),
          { name: "redrive", queue: "deliveries" },
        ]),
      ];
    case "sweeps":
      return SWEEPS_AT.flatMap((at) => [
        ...several(at, 500),
        ...largeWrites(random.fork(`large writes ${at}`), at, cast),
      ]);
    case "week":
      return [
        ...[1, 2, 3, 4, 5, 6].flatMap((day) =>
          several(day * DAY + random.integer(0, HOUR), SECOND).slice(0, 2),
        ),
        [INACTIVE_AT, { name: "create", person: 0, isLarge: false }],
        [INACTIVE_AT + SECOND, rejection],
      ];
    case "season": {
      const person = random.integer(0, cast.people.length - 1);
      return [
        ...several(SEASON, SECOND),
        [SEASON + MINUTE, { name: "advance", person, transition: "erase" }],
        [SEASON + 2 * HOUR, { name: "create", person, isLarge: false }],
        ...several(SEASON + 2 * HOUR, SECOND),
      ];
    }
  }
}

/** Large writes of a person while sweeps run, or the erasure of one whose large writes are long over. */
function largeWrites(random: Random, at: number, cast: Cast): [at: number, operation: Operation][] {
  const person = random.integer(0, cast.people.length - 1);
  if (random.chance(0.3)) return [[at, { name: "advance", person, transition: "erase" }]];
  return Array.from({ length: random.integer(1, 4) }, () => [
    at + random.integer(0, 700),
    amendment(random, person, { ...cast, isLarge: true }),
  ]);
}

function expiriesOf(random: Random, length: Length): Story["expiries"] {
  if (length === "sweeps") {
    const { count, within, share } = EXPIRIES;
    return SWEEPS_AT.flatMap((at) =>
      Array.from({ length: count }, () => ({ at: at + random.integer(0, within), share })),
    );
  }
  return length === "season" ? [SEASON - HOUR, SEASON + HOUR].map((at) => ({ at, share: 1 })) : [];
}

const NO_SCENE: Scene = { moments: [] };

/** The steps that are left if some after the first ones, at most `count`, make room for others. */
function withoutSome(random: Random, steps: readonly Step[], first: number, count: number): readonly Step[] {
  const least = Math.max(first, LEAST_STEPS);
  const removed = new Set(Array.from({ length: count }, () => random.integer(least, steps.length)));
  return steps.filter((_, index) => !removed.has(index));
}

function stepsOf({ moments }: Scene, from: number, number: number): Step[] {
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

/** A subscriber whose endpoint nothing changes, and whose receiver fails until dead letters are redriven. */
function lastingSubscriber(random: Random, orgId = "acme", from: number): Subscriber {
  return {
    orgId,
    url: "https://receiver-lasting.example.com/hooks",
    behaviour: {
      kind: random.pick(["fails", "hangs", "redirects"]),
      from,
      until: LETTERS_AT + random.pick([0, HOUR]),
    },
  };
}

/** Registers an endpoint for every other subscriber, and sends a sample to each of them. */
function settlementOf(
  random: Random,
  subscribers: number,
  spread: number,
): [at: number, operation: Operation][] {
  const indexes = Array.from({ length: subscribers }, (_, subscriber) => subscriber);
  return [
    ...indexes
      .slice(1)
      .map((subscriber): [number, Operation] => [spread / 20, registration(random, subscriber)]),
    ...indexes.map((subscriber): [number, Operation] => [
      spread / 20 + SETTLING_MS / 5,
      { name: "test", subscriber },
    ]),
  ];
}

/** @param from when the behaviour begins: until then the receiver works */
function behaviour(random: Random, length: Length, from: number): Behaviour {
  const kind = random.weighted({
    "takes all": 50,
    hangs: 5,
    fails: 10,
    unavailable: 5,
    gone: 4,
    redirects: 2,
    flaky: 12,
    "loses its responses": 8,
    slow: 4,
  });
  const until = random.pick([SECOND, 10 * SECOND, 2 * MINUTE, 8 * MINUTE]);
  // Deliveries to a receiver that fails for hours are retried for more than a day: such stories take the most time.
  if (length === "week") return { kind: random.pick(["fails", "hangs"]), from, until: 8 * DAY };
  const isLonger = length === "hours";
  return { kind, from, until: from + (isLonger ? random.pick([until, 40 * MINUTE, 33 * HOUR]) : until) };
}
