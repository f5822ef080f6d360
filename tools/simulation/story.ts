import { CANDIDATE_EVENT_TYPES, ENDPOINT_EVENT_TYPES } from "#contract/events";
import { NETWORK_FAULTS, type NetworkFault, type ServiceName } from "./aws/network.ts";
import {
  AMENDED,
  type Behaviour,
  EMPTIED,
  type Operation,
  type Person,
  type Step,
  type Subscriber,
} from "./operations.ts";
import { Random } from "./random.ts";

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
  /** Additional times at which DynamoDB removes expired items, in ms after the beginning. */
  readonly expiries: readonly number[];
  /** A service that refuses every request for a while, in ms after the beginning. */
  readonly outage?: { readonly service: ServiceName; readonly from: number; readonly until: number };
  readonly faults: {
    /** The share of requests to AWS that meet a fault. */
    readonly share: number;
    /** The requests, counted from 1, that certainly meet a fault. */
    readonly certain: readonly number[];
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
  };
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
/** What happens to a write whose response is lost. */
export const LOST_WRITES: readonly NetworkFault[] = [
  "lost after",
  "lost after",
  "reset after",
  "late",
  "gone after",
];
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** Longer than a tombstone is kept, in ms: 100 days (docs/data-model.md). */
const SEASON = 101 * DAY;
/** How long a burst of operations lasts, in ms. */
const BURST_MS = 40;
/**
 * The share of stories whose endpoints have responded before anything else happens, and the time that this takes, in
 * ms.
 */
const SETTLED = 0.7;
const SETTLING_MS = 5 * SECOND;
/** The least number of operations in a story. */
const LEAST_STEPS = 10;

type Weights<Name extends string> = Readonly<Record<Name, number>>;

const WEIGHTS: Weights<Exclude<Operation["name"], "createBatch">> = {
  create: 22,
  amend: 26,
  amendNothing: 1,
  get: 8,
  find: 4,
  advance: 20,
  score: 3,
  assess: 5,
  requestErasure: 4,
  register: 10,
  update: 7,
  delete: 4,
  rotateSecret: 2,
  test: 2,
  resend: 5,
  recover: 4,
  redrive: 3,
  rotateKeyring: 1,
  reseal: 1,
  intrude: 3,
};
/**
 * The share of creates that are replaced by batches, the most rows of a batch, and the share of rows that are
 * invalid.
 */
const BATCHES = { share: 0.25, rows: 5, invalid: 0.15 };
/** A candidate that is rejected more often than its record remembers. */
const REJECTING: typeof WEIGHTS = { ...WEIGHTS, advance: 300, requestErasure: 0 };

const AMENDMENTS = { members: 75, withdraw: 12, restore: 12, invalid: 5 };
const QUEUES = ["deliveries", "events", "sweeps"] as const;
const NO_AMENDMENTS: typeof AMENDMENTS = { members: 0, withdraw: 0, restore: 0, invalid: 0 };
const REASONS = ["photo is missing", "photo is blurred", "name is missing"];
const TRANSITIONS = { verify: 3, promote: 3, "fail-validation": 3, "revoke-consent": 3, erase: 4 };
const REJECTIONS: typeof TRANSITIONS = {
  verify: 0.3,
  promote: 0,
  "fail-validation": 20,
  "revoke-consent": 0.2,
  erase: 0.2,
};

/** The story of a seed. The same seed always gives the same story. */
export function storyOf(seed: number): Story {
  const random = new Random(`story ${seed}`);
  const organisations = random.chance(0.7) ? ["acme"] : ["acme", "globex"];
  const spread = random.pick([200, 2 * SECOND, 2 * SECOND, 20 * SECOND, 5 * MINUTE]);
  const length = random.weighted<Length>({ minutes: 80, hours: 7, sweeps: 11, week: 1, season: 1 });
  const isLong = length !== "minutes";
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
  const isRejecting = random.chance(0.03);
  const cast = {
    people,
    subscribers,
    hasLarge,
    matching: random.pick([0, 0.1, 0.1, 0.2, 0.9]),
    weights: isRejecting ? REJECTING : { ...emphasised(random, WEIGHTS), amend: WEIGHTS.amend },
    amendments: emphasised(random, AMENDMENTS),
    transitions: isRejecting ? REJECTIONS : emphasised(random, TRANSITIONS),
    hasLongReasons: random.chance(isRejecting ? 0.5 : 0.03),
    batches: random.fork("batches"),
    closed: new Map<number, "frozen" | "erased">(),
  };
  const settlement = settled > 0 ? settlementOf(settling, subscribers.length, spread) : [];
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
  const steps = [
    ...operations.map((operation, index): Step => ({ number: index + 1, at: times[index] ?? 0, operation })),
    ...late.map(([at, operation], index): Step => ({ number: operations.length + index + 1, at, operation })),
  ];
  const outage = random.chance(isLong ? 0.5 : 0.03) && {
    service: random.pick(["dynamodb", "sqs", "secretsmanager"] as const),
    from: settled + random.integer(0, spread),
    // A record of the stream is retried for twelve hours, and is then a dead letter.
    until:
      settled +
      spread +
      random.pick([10 * SECOND, 10 * MINUTE, 4 * HOUR, ...(length === "hours" ? [13 * HOUR] : [])]),
  };
  const faultsUntil =
    settled + spread + random.pick([3 * SECOND, 10 * SECOND, 3 * MINUTE]) + (isLong ? 3 * HOUR : 0);
  return {
    seed,
    people,
    subscribers,
    steps: steps.toSorted((left, right) => left.at - right.at),
    faultsUntil: Math.max(faultsUntil, outage ? outage.until : 0),
    ...(random.chance(0.3) && { pageBytes: 200_000 }),
    expiries: expiriesOf(random, length, late),
    ...(outage && { outage }),
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
    },
  };
}

/**
 * The length of a story: `hours`, for people who return and dead letters that are redriven; `sweeps`, for large
 * writes while the notices of earlier ones expire; a `week`, for receivers that fail until their endpoint is
 * inactive; a `season`, for the tombstone of an erased person, which is kept for a hundred days.
 */
type Length = "minutes" | "hours" | "sweeps" | "week" | "season";

/** The steps long after the beginning, and their times. */
function lateOperations(random: Random, length: Length, cast: Cast): [at: number, operation: Operation][] {
  const several = (at: number, within: number): [number, Operation][] =>
    Array.from({ length: random.integer(2, 6) }, () => [
      at + random.integer(0, within),
      anOperation(random, cast),
    ]);
  switch (length) {
    case "minutes":
      return [];
    case "hours":
      return [
        ...several(random.pick([1.5, 3, 31]) * HOUR, 5 * SECOND),
        // A stream keeps its records for a day, and the retries of a delivery take longer.
        [17 * HOUR, { name: "redrive", queue: "events" }],
        [17 * HOUR, { name: "redrive", queue: "sweeps" }],
        [34 * HOUR, { name: "redrive", queue: "deliveries" }],
      ];
    case "sweeps":
      return [1.2, 2.4].flatMap((hours) => several(hours * HOUR, 500));
    case "week":
      return [1, 2, 3, 4, 5, 6].flatMap((day) =>
        several(day * DAY + random.integer(0, HOUR), SECOND).slice(0, 2),
      );
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

function expiriesOf(
  random: Random,
  length: Length,
  late: readonly [at: number, operation: Operation][],
): number[] {
  if (length === "sweeps") return late.map(([at]) => at + random.integer(0, 400));
  return length === "season" ? [SEASON - HOUR, SEASON + HOUR] : [];
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

/** Each of the items with a probability, and one with certainty. */
function some<Item>(random: Random, items: readonly Item[], share: number): readonly Item[] {
  const picked = items.filter(() => random.chance(share));
  return picked.length > 0 ? picked : [random.pick(items)];
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

/** The operations that are frequent in a story, and those that do not occur: each story has a different emphasis. */
function emphasised<Weighed extends Weights<string>>(random: Random, weights: Weighed): Weighed {
  const entries = Object.entries(weights).map(([name, weight]) => [
    name,
    weight * random.pick([0.05, 1, 1, 4]),
  ]);
  return Object.fromEntries(entries);
}

interface Cast {
  /** The people whom the operations so far may have frozen or erased. */
  readonly closed: Map<number, "frozen" | "erased">;
  readonly weights: typeof WEIGHTS;
  readonly amendments: typeof AMENDMENTS;
  readonly transitions: typeof TRANSITIONS;
  readonly people: readonly Person[];
  readonly subscribers: readonly Subscriber[];
  readonly hasLarge: boolean;
  readonly hasLongReasons: boolean;
  /** The share of amends that send `If-Match`. */
  readonly matching: number;
  /** Choices about batches. */
  readonly batches: Random;
}

/** The next operation. It often opens a record that was frozen or erased, since everything else is refused then. */
function anOperation(random: Random, cast: Cast): Operation {
  const { people, closed, hasLarge, matching } = cast;
  const person = random.integer(0, people.length - 1);
  const state = closed.get(person);
  const operation =
    state === undefined || random.chance(0.5)
      ? anyOperation(random, person, cast)
      : state === "frozen"
        ? amendment(random, person, { hasLarge, matching, amendments: { ...NO_AMENDMENTS, restore: 1 } })
        : ({ name: "create", person, isLarge: hasLarge && random.chance(0.5) } as const);
  const after = stateAfter(operation);
  if (after === "open") closed.delete(person);
  else if (after) closed.set(person, after);
  if (operation.name === "createBatch") for (const row of operation.rows) closed.delete(row.person);
  return operation;
}

function stateAfter(operation: Operation): "open" | "frozen" | "erased" | undefined {
  switch (operation.name) {
    case "create":
      return "open";
    case "requestErasure":
      return "erased";
    case "advance":
      if (operation.transition === "erase") return "erased";
      return operation.transition === "revoke-consent" ? "frozen" : undefined;
    case "amend":
      if (operation.consentGiven === undefined) return undefined;
      return operation.consentGiven ? "open" : "frozen";
    default:
      return undefined;
  }
}

function anyOperation(random: Random, person: number, cast: Cast): Operation {
  const { subscribers, hasLarge, hasLongReasons, weights, transitions, batches } = cast;
  const subscriber = random.integer(0, subscribers.length - 1);
  const name = random.weighted(weights);
  switch (name) {
    case "create": {
      const isLarge = hasLarge && random.chance(0.5);
      return batches.chance(BATCHES.share) ? batch(person, cast) : { name, person, isLarge };
    }
    case "amend":
      return amendment(random, person, cast);
    case "get":
      return { name, person, by: random.pick(["stagedId", "id"]) };
    case "find":
    case "requestErasure":
      return { name, person };
    case "amendNothing":
      return { name, person, ifMatch: "last seen" };
    case "intrude":
      return { name, person, with: random.pick(["get", "amend", "requestErasure"]) };
    case "advance": {
      const transition = random.weighted(transitions);
      return {
        name,
        person,
        transition,
        ...(transition === "fail-validation" && {
          reason: random.pick(REASONS),
          ...(hasLongReasons && { isLong: true as const }),
        }),
      };
    }
    case "score":
      return { name, person, score: random.integer(0, 100) };
    case "assess":
      return {
        name,
        person,
        result: random.pick(["r1", "r2"]),
        provider: random.pick(["proctor", "partner"]),
        title: random.pick(["Logic", "Writing"]),
      };
    case "register":
      return registration(random, subscriber);
    case "update":
      return random.chance(0.6)
        ? { name, subscriber, active: random.chance(0.6) }
        : { name, subscriber, isMoved: true };
    case "delete":
    case "rotateSecret":
    case "test":
    case "resend":
    case "recover":
      return { name, subscriber };
    case "redrive":
      return { name, queue: random.pick(QUEUES) };
    case "rotateKeyring":
    case "reseal":
      return { name };
  }
}

/** A batch of a person's organisation: of this person, and of others or the same person again. */
function batch(person: number, { people, hasLarge, batches }: Cast): Operation {
  const own = [...people.keys()].filter((other) => people[other]?.orgId === people[person]?.orgId);
  const persons = [
    person,
    ...Array.from({ length: batches.integer(0, BATCHES.rows - 1) }, () => batches.pick(own)),
  ];
  const rows = persons.map((each) => ({
    person: each,
    isLarge: hasLarge && batches.chance(0.3),
    ...(batches.chance(BATCHES.invalid) && { isInvalid: true as const }),
  }));
  return { name: "createBatch", rows };
}

function amendment(
  random: Random,
  person: number,
  { hasLarge, matching, amendments }: Pick<Cast, "hasLarge" | "matching" | "amendments">,
): Operation {
  const kind = random.weighted(amendments);
  const isEmptying = random.chance(0.06);
  const members = isEmptying
    ? AMENDED.filter((member) => !(member in EMPTIED) || random.chance(0.4))
    : some(random, AMENDED, 0.3);
  return {
    name: "amend",
    person,
    by: random.chance(0.2) ? "id" : "stagedId",
    members,
    isLarge: hasLarge && random.chance(0.5),
    ...(kind === "withdraw" && { consentGiven: false }),
    ...(kind === "restore" && { consentGiven: true }),
    ...(kind === "invalid" && { isInvalid: true as const }),
    ...(random.chance(matching) && { ifMatch: "last seen" as const }),
    ...(isEmptying ? { isEmptying } : random.chance(0.05) && { onlySensitive: true as const }),
  };
}

function registration(random: Random, subscriber: number): Operation {
  return {
    name: "register",
    subscriber,
    eventTypes: [...some(random, CANDIDATE_EVENT_TYPES, 0.8), ...ENDPOINT_EVENT_TYPES],
  };
}
