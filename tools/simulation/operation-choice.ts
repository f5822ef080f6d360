import { CANDIDATE_EVENT_TYPES, ENDPOINT_EVENT_TYPES, type EventType } from "#contract/events";
import type { PlatformTransition } from "#contract/platform-transition";
import { AMENDED, EMPTIED, type Operation, type Person, type Subscriber } from "./operations.ts";
import type { Random } from "./random.ts";

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
/** The share of the platform's assessments that are large, where a story has large candidates. */
const LARGE_ASSESSMENTS = 0.3;
const QUEUES = ["deliveries", "events", "sweeps"] as const;
const NO_AMENDMENTS: typeof AMENDMENTS = { members: 0, withdraw: 0, restore: 0, invalid: 0 };
export const REASONS = ["photo is missing", "photo is blurred", "name is missing"];
const TRANSITIONS: Weights<PlatformTransition> = {
  verify: 3,
  promote: 3,
  "fail-validation": 3,
  "revoke-consent": 3,
  erase: 4,
};
const REJECTIONS: typeof TRANSITIONS = {
  verify: 0.3,
  promote: 0,
  "fail-validation": 20,
  "revoke-consent": 0.2,
  erase: 0.2,
};

/** Each of the items with a probability, and one with certainty. */
export function some<Item>(random: Random, items: readonly Item[], share: number): readonly Item[] {
  const picked = items.filter(() => random.chance(share));
  return picked.length > 0 ? picked : [random.pick(items)];
}

/** The operations that are frequent in a story, and those that do not occur: each story has a different emphasis. */
function emphasised<Weighed extends Weights<string>>(random: Random, weights: Weighed): Weighed {
  const entries = Object.entries(weights).map(([name, weight]) => [
    name,
    weight * random.pick([0.05, 1, 1, 4]),
  ]);
  return Object.fromEntries(entries);
}

export interface Cast {
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
  /** Choices about batches and large assessments. */
  readonly batches: Random;
}

/** What the random choices of a story's operations depend on. */
export function castOf(
  random: Random,
  { people, subscribers, hasLarge }: Pick<Cast, "people" | "subscribers" | "hasLarge">,
): Cast {
  const isRejecting = random.chance(0.03);
  return {
    people,
    subscribers,
    hasLarge,
    matching: random.pick([0, 0.1, 0.1, 0.2, 0.9]),
    weights: isRejecting ? REJECTING : { ...emphasised(random, WEIGHTS), amend: WEIGHTS.amend },
    amendments: emphasised(random, AMENDMENTS),
    transitions: isRejecting ? REJECTIONS : emphasised(random, TRANSITIONS),
    hasLongReasons: random.chance(isRejecting ? 0.5 : 0.03),
    batches: random.fork("batches"),
    closed: new Map(),
  };
}

/** The next operation. It often opens a record that was frozen or erased, since everything else is refused then. */
export function anOperation(random: Random, cast: Cast): Operation {
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

export function anyOperation(random: Random, person: number, cast: Cast): Operation {
  const { subscribers, hasLarge, weights, batches } = cast;
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
    case "advance":
      return advance(random, person, cast);
    case "score":
      return { name, person, score: random.chance(0.2) ? null : random.integer(0, 100) };
    case "assess":
      return {
        name,
        person,
        result: random.pick(["r1", "r2"]),
        provider: random.pick(["proctor", "partner"]),
        title: random.pick(["Logic", "Writing"]),
        ...(hasLarge && batches.chance(LARGE_ASSESSMENTS) && { isLarge: true as const }),
      };
    case "register":
      return registration(random, subscriber);
    case "update":
      return update(random, subscriber);
    case "delete":
    case "rotateSecret":
    case "test":
      return { name, subscriber };
    case "recover":
      return recovery(random, subscriber);
    case "resend":
      return { name, subscriber, back: 0 };
    case "redrive":
      return { name, queue: random.pick(QUEUES) };
    case "rotateKeyring":
    case "reseal":
      return { name };
  }
}

function advance(random: Random, person: number, { transitions, hasLongReasons }: Cast): Operation {
  const transition = random.weighted(transitions);
  return {
    name: "advance",
    person,
    transition,
    ...(transition === "fail-validation" && {
      reason: random.pick(REASONS),
      ...(hasLongReasons && { isLong: true as const }),
    }),
  };
}

function recovery(random: Random, subscriber: number): Operation {
  return {
    name: "recover",
    subscriber,
    since: random.weighted({ beginning: 50, recently: 20, inactivity: 30 }),
    ...(random.chance(0.15) && { isPast: true }),
    ...(random.chance(0.2) && { eventTypes: subscription(random) }),
  };
}

/** A change of one member of an endpoint, or of several. */
function update(random: Random, subscriber: number): Operation {
  const kind = random.weighted({ active: 55, moved: 25, eventTypes: 12, all: 8 });
  return {
    name: "update",
    subscriber,
    ...((kind === "active" || kind === "all") && { active: random.chance(0.6) }),
    ...((kind === "moved" || kind === "all") && { isMoved: true }),
    ...((kind === "eventTypes" || kind === "all") && { eventTypes: subscription(random) }),
  };
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

export function amendment(
  random: Random,
  person: number,
  {
    hasLarge,
    matching,
    amendments,
    isLarge,
  }: Pick<Cast, "hasLarge" | "matching" | "amendments"> & { readonly isLarge?: boolean },
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
    isLarge: isLarge ?? (hasLarge && random.chance(0.5)),
    ...(kind === "withdraw" && { consentGiven: false }),
    ...(kind === "restore" && { consentGiven: true }),
    ...(kind === "invalid" && { isInvalid: true as const }),
    ...(random.chance(matching) && { ifMatch: "last seen" as const }),
    ...(isEmptying ? { isEmptying } : random.chance(0.05) && { onlySensitive: true as const }),
  };
}

export function registration(random: Random, subscriber: number): Operation {
  return {
    name: "register",
    subscriber,
    eventTypes: subscription(random),
  };
}

function subscription(random: Random): EventType[] {
  return [...some(random, CANDIDATE_EVENT_TYPES, 0.8), ...ENDPOINT_EVENT_TYPES];
}
