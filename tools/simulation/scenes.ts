import { CANDIDATE_EVENT_TYPES } from "#contract/events";
import { SECOND } from "#runtime/durations";
import { assessedAtLength, largeOnesAtOnce, largeOnesBeginAnew } from "./large-scenes.ts";
import { atOnce, delivered, existing, type Moment, newLife, next } from "./moments.ts";
import { amendment, anyOperation, type Cast, REASONS, some } from "./operation-choice.ts";
import { AMENDED, type Behaviour, type Operation, type Subscriber } from "./operations.ts";
import type { Random } from "./random.ts";

/**
 * Operations that belong together, and that independent choices rarely put next to each other: two at once on the same
 * item, or a sequence that returns to where it was.
 */
export interface Scene {
  /** In their order, each with its time after the one before it, in ms. */
  readonly moments: readonly Moment[];
  /** How the receiver of a subscriber behaves from the beginning of the scene, and for how long, in ms. */
  readonly receiver?: {
    readonly subscriber: number;
    readonly kind: Behaviour["kind"];
    readonly lasts: number;
  };
}

/** From an operation until the event that it fires is posted, in ms. */
const POSTED_MS = [50, 700] as const;

const SCENES = {
  "twice at once": 2,
  "again after another": 3,
  "matched at once": 2,
  "rotated at once": 3,
  "moved while it is posted to": 3,
  "sent again after an erasure": 2,
  "inactive and recovered": 3,
  "changed while it is posted to": 3,
  "rejected at length": 2,
};
/** The same, where a story has large candidates. */
const LARGE_SCENES = {
  "large ones at once": 6,
  "large ones begin anew": 6,
  "assessed at length": 4,
};
/** The same, where faults concentrate on large writes. */
const ORDEAL_SCENES = { "large ones begin anew": 50 };
const NO_LARGE_SCENES: typeof LARGE_SCENES = {
  "large ones at once": 0,
  "large ones begin anew": 0,
  "assessed at length": 0,
};

/**
 * A scene of a story.
 *
 * @param registered the subscribers that are registered before it begins
 * @param isOrdeal whether faults concentrate on large writes
 */
export function sceneOf(
  random: Random,
  cast: Cast,
  { registered, isOrdeal }: { readonly registered: readonly number[]; readonly isOrdeal: boolean },
): Scene {
  const ofLarge = cast.hasLarge ? LARGE_SCENES : NO_LARGE_SCENES;
  const kind = random.weighted({ ...SCENES, ...ofLarge, ...(isOrdeal && ORDEAL_SCENES) });
  const subscriber = random.pick(registered);
  const person = random.integer(0, cast.people.length - 1);
  /** A person whose events the subscriber may get. */
  const subject = () => random.pick(peopleOf(cast, cast.subscribers[subscriber]) ?? [person]);
  switch (kind) {
    case "twice at once": {
      const operation = anyOperation(random, person, cast);
      return { moments: [...existing(random, person), ...atOnce(random, [operation, operation])] };
    }
    case "again after another":
      return { moments: [...newLife(random, person), ...againAfterAnother(random, person)] };
    case "matched at once":
      return { moments: [...existing(random, person), ...matchedAtOnce(random, person, cast)] };
    case "large ones at once":
      return { moments: [...existing(random, person), ...largeOnesAtOnce(random, person)] };
    case "large ones begin anew":
      return { moments: [...existing(random, person), ...largeOnesBeginAnew(random, person)] };
    case "assessed at length":
      return { moments: [...existing(random, person), ...assessedAtLength(random, person)] };
    case "rotated at once":
      return { moments: rotatedAtOnce(random, registered) };
    case "inactive and recovered":
      return inactiveAndRecovered(random, subscriber, subject());
    case "changed while it is posted to":
      return changedWhilePosted(random, subscriber, subject());
    case "rejected at length":
      return { moments: rejectedAtLength(random, subscriber, subject()) };
    case "moved while it is posted to":
      return movedWhilePosted(random, subscriber, subject());
    case "sent again after an erasure":
      return { moments: sentAgainAfterErasure(random, subscriber, subject()) };
  }
}

/** Two amends of a person with the same `If-Match`. */
function matchedAtOnce(random: Random, person: number, cast: Cast): Moment[] {
  const matched = () => ofMembers(random, person, cast, 1);
  return [next(random, { name: "get", person, by: "stagedId" }), ...atOnce(random, [matched(), matched()])];
}

/** An endpoint gets another address while a receiver that is gone is posted to. */
function movedWhilePosted(random: Random, subscriber: number, person: number): Scene {
  const fails = { name: "advance", person, transition: "fail-validation" } as const;
  return {
    moments: [
      ...existing(random, person),
      next(random, { ...fails, reason: random.pick(REASONS) }),
      { operation: { name: "update", subscriber, isMoved: true }, after: random.integer(...POSTED_MS) },
    ],
    receiver: { subscriber, kind: "gone", lasts: 20 * SECOND },
  };
}

/** Deliveries are resent after an erasure, and in the next life. */
function sentAgainAfterErasure(random: Random, subscriber: number, person: number): Moment[] {
  const resend = () => delivered(random, { name: "resend", subscriber, back: random.integer(0, 2) });
  const erasure: Operation = random.chance(0.5)
    ? { name: "requestErasure", person }
    : { name: "advance", person, transition: "erase" };
  return [
    ...existing(random, person),
    next(random, erasure),
    resend(),
    ...existing(random, person),
    resend(),
  ];
}

/**
 * An endpoint misses events, by its organisation or by a 410, is active again, and gets them, sometimes twice at
 * once.
 */
function inactiveAndRecovered(random: Random, subscriber: number, person: number): Scene {
  const isGone = random.chance(0.4);
  const recover: Operation = {
    name: "recover",
    subscriber,
    since: random.pick(["inactivity", "inactivity", "beginning"]),
  };
  const activity = (active: boolean): Operation => ({ name: "update", subscriber, active });
  const missed: Operation[] = [
    { name: "create", person, isLarge: false },
    { name: "advance", person, transition: random.pick(["verify", "promote", "revoke-consent", "erase"]) },
  ];
  return {
    moments: [
      ...(isGone ? [] : [next(random, activity(false))]),
      ...missed.map((operation) => next(random, operation)),
      delivered(random, activity(true)),
      ...(random.chance(0.4) ? atOnce(random, [recover, recover]) : [next(random, recover)]),
      ...(random.chance(0.4)
        ? [next(random, activity(false)), next(random, activity(true)), delivered(random, recover)]
        : []),
    ],
    ...(isGone && { receiver: { subscriber, kind: "gone", lasts: 6 * SECOND } }),
  };
}

/** An endpoint is changed, deleted or set inactive while a response is late or missing, and often set back. */
function changedWhilePosted(random: Random, subscriber: number, person: number): Scene {
  const change = random.pick<Operation>([
    { name: "update", subscriber, active: false },
    { name: "update", subscriber, active: true },
    { name: "delete", subscriber },
    { name: "rotateSecret", subscriber },
  ]);
  return {
    moments: [
      ...existing(random, person),
      next(random, { name: "advance", person, transition: "fail-validation", reason: random.pick(REASONS) }),
      { operation: change, after: random.integer(...POSTED_MS) },
      ...(random.chance(0.6) ? [next(random, { name: "update", subscriber, active: true })] : []),
      next(random, { name: "advance", person, transition: "verify" }),
    ],
    receiver: {
      subscriber,
      kind: random.pick(["slow", "hangs", "fails", "gone", "unavailable"]),
      lasts: random.pick([3, 20, 120]) * SECOND,
    },
  };
}

/** Several of the longest events are published at once, to several endpoints: more than one request to SQS can hold. */
function rejectedAtLength(random: Random, subscriber: number, person: number): Moment[] {
  const register: Operation = { name: "register", subscriber, eventTypes: CANDIDATE_EVENT_TYPES };
  const reject = (reason: string): Operation => ({
    name: "advance",
    person,
    transition: "fail-validation",
    reason,
    isLong: true,
  });
  return [
    ...Array.from({ length: random.integer(2, 4) }, () => next(random, register)),
    ...newLife(random, person),
    ...atOnce(random, [...REASONS, ...REASONS].map(reject)),
  ];
}

function peopleOf({ people }: Cast, subscriber: Subscriber | undefined): readonly number[] | undefined {
  const own = [...people.keys()].filter((person) => people[person]?.orgId === subscriber?.orgId);
  return own.length > 0 ? own : undefined;
}

/** An amend that is accepted. */
function ofMembers(random: Random, person: number, cast: Cast, matching: number): Operation {
  const amendments = { members: 1, withdraw: 0, restore: 0, invalid: 0 };
  return amendment(random, person, { hasLarge: cast.hasLarge, matching, amendments });
}

/** What is done to a person, something else, and the first once more. */
function againAfterAnother(random: Random, person: number): Moment[] {
  const [reason = "", other = ""] = random.chance(0.5) ? REASONS : REASONS.toReversed();
  const advance = (transition: "verify" | "promote" | "revoke-consent" | "erase"): Operation => ({
    name: "advance",
    person,
    transition,
  });
  const reject = (why: string): Operation => ({
    name: "advance",
    person,
    transition: "fail-validation",
    reason: why,
  });
  const amend = (given: object): Operation => ({
    name: "amend",
    person,
    by: "stagedId",
    members: some(random, AMENDED, 0.2),
    isLarge: false,
    ...given,
  });
  const revoke = random.chance(0.5) ? advance("revoke-consent") : amend({ consentGiven: false });
  const [first, between] = random.pick<readonly [readonly Operation[], readonly Operation[]]>([
    [[reject(reason)], [reject(other)]],
    [[revoke, amend({ consentGiven: true })], [advance("promote")]],
    [[revoke, amend({ consentGiven: true })], [random.chance(0.5) ? reject(reason) : advance("verify")]],
    [[advance("erase"), { name: "create", person, isLarge: false }], [advance("promote")]],
    [
      [amend({ onlySensitive: true, members: ["documents"] })],
      [amend({ isEmptying: true, members: ["documents", "firstName", "headline", "summary"] })],
    ],
  ]);
  return [...first, ...between, ...first].map((operation) => next(random, operation));
}

/** A secret that is rotated twice at once, or several that are rotated while all are resealed. */
function rotatedAtOnce(random: Random, registered: readonly number[]): Moment[] {
  const rotation = (subscriber: number): Operation => ({ name: "rotateSecret", subscriber });
  const [test, ...otherTests] = registered.map((subscriber): Operation => ({ name: "test", subscriber }));
  const tests = [
    ...(test ? [delivered(random, test)] : []),
    ...otherTests.map((operation) => ({ operation, after: 0 })),
  ];
  if (random.chance(0.5)) {
    const twice = rotation(random.pick(registered));
    return [...atOnce(random, [twice, twice]), ...tests];
  }
  const resealing = atOnce(random, [{ name: "reseal" }, ...registered.map(rotation)]);
  return [next(random, { name: "rotateKeyring" }), ...resealing, ...tests];
}
