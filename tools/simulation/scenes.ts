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

interface Moment {
  readonly operation: Operation;
  readonly after: number;
  /** As {@link Step.again}. */
  readonly again?: number;
}

const SECOND = 1_000;
/** Operations at once begin within one of these times, in ms: before or after the first request of each other. */
const AT_ONCE_MS = [5, 40];
/** Most operations have ended after this time, in ms. */
const ENDED_MS = [0.3 * SECOND, 3 * SECOND] as const;
/** Many large writes have ended after this time, in ms. */
const LARGE_ENDED_MS = [0.1 * SECOND, 0.6 * SECOND] as const;
/** Most events are delivered after this time, in ms. */
const DELIVERED_MS = [4 * SECOND, 9 * SECOND] as const;
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
};
/** The same, where a story has large candidates. */
const LARGE_SCENES = {
  "large ones at once": 6,
  "large ones begin anew": 6,
  "assessed at length": 4,
};
const NO_LARGE_SCENES: typeof LARGE_SCENES = {
  "large ones at once": 0,
  "large ones begin anew": 0,
  "assessed at length": 0,
};

/**
 * A scene of a story.
 *
 * @param registered the subscribers that are registered before it begins
 */
export function sceneOf(random: Random, cast: Cast, registered: readonly number[]): Scene {
  const kind = random.weighted({ ...SCENES, ...(cast.hasLarge ? LARGE_SCENES : NO_LARGE_SCENES) });
  const subscriber = random.pick(registered);
  const person = random.integer(0, cast.people.length - 1);
  switch (kind) {
    case "twice at once": {
      const operation = anyOperation(random, person, cast);
      return { moments: [...existing(random, person), ...atOnce(random, [operation, operation])] };
    }
    case "again after another":
      return { moments: [...newLife(random, person), ...againAfterAnother(random, person)] };
    case "matched at once": {
      const matched = () => ofMembers(random, person, cast, 1);
      return {
        moments: [
          ...existing(random, person),
          next(random, { name: "get", person, by: "stagedId" }),
          ...atOnce(random, [matched(), matched()]),
        ],
      };
    }
    case "large ones at once":
      return { moments: [...existing(random, person), ...largeOnesAtOnce(random, person)] };
    case "large ones begin anew":
      return { moments: [...existing(random, person), ...largeOnesBeginAnew(random, person)] };
    case "assessed at length":
      return { moments: [...existing(random, person), ...assessedAtLength(random, person)] };
    case "rotated at once":
      return { moments: rotatedAtOnce(random, registered) };
    case "inactive and recovered":
      return inactiveAndRecovered(
        random,
        subscriber,
        random.pick(peopleOf(cast, cast.subscribers[subscriber]) ?? [person]),
      );
    case "changed while it is posted to":
      return changedWhilePosted(
        random,
        subscriber,
        random.pick(peopleOf(cast, cast.subscribers[subscriber]) ?? [person]),
      );
    case "moved while it is posted to": {
      const subject = random.pick(peopleOf(cast, cast.subscribers[subscriber]) ?? [person]);
      const fails = { name: "advance", person: subject, transition: "fail-validation" } as const;
      const moments = [
        ...existing(random, subject),
        next(random, { ...fails, reason: random.pick(REASONS) }),
        { operation: { name: "update", subscriber, isMoved: true }, after: random.integer(...POSTED_MS) },
      ] as const;
      return { moments, receiver: { subscriber, kind: "gone", lasts: 20 * SECOND } };
    }
    case "sent again after an erasure": {
      const subject = random.pick(peopleOf(cast, cast.subscribers[subscriber]) ?? [person]);
      const resend = () => delivered(random, { name: "resend", subscriber, back: random.integer(0, 2) });
      const erasure: Operation = random.chance(0.5)
        ? { name: "requestErasure", person: subject }
        : { name: "advance", person: subject, transition: "erase" };
      return {
        moments: [
          ...existing(random, subject),
          next(random, erasure),
          resend(),
          ...existing(random, subject),
          resend(),
        ],
      };
    }
  }
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

function peopleOf({ people }: Cast, subscriber: Subscriber | undefined): readonly number[] | undefined {
  const own = [...people.keys()].filter((person) => people[person]?.orgId === subscriber?.orgId);
  return own.length > 0 ? own : undefined;
}

/** An operation that begins when the one before it has probably ended. */
function next(random: Random, operation: Operation): Moment {
  return { operation, after: random.integer(...ENDED_MS) };
}

/** An operation that begins when the events of those before it have probably been delivered. */
function delivered(random: Random, operation: Operation): Moment {
  return { operation, after: random.integer(...DELIVERED_MS) };
}

function atOnce(random: Random, operations: readonly Operation[]): Moment[] {
  const ordered = random.chance(0.5) ? operations : operations.toReversed();
  return ordered.map((operation, index) =>
    index === 0 ? next(random, operation) : { operation, after: random.integer(0, random.pick(AT_ONCE_MS)) },
  );
}

/** A create of a person who may not exist yet. */
function existing(random: Random, person: number): Moment[] {
  return [next(random, { name: "create", person, isLarge: false })];
}

/** A create of a person, who is often erased before, so that no state of an earlier step remains. */
function newLife(random: Random, person: number): Moment[] {
  const erasure = { name: "advance", person, transition: "erase" } as const;
  return [...(random.chance(0.6) ? [next(random, erasure)] : []), ...existing(random, person)];
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

/** Large members that replace each other, several at a time, while some are sent again. */
function largeOnesBeginAnew(random: Random, person: number): Moment[] {
  const amend = (): Operation => ({
    name: "amend",
    person,
    by: "stagedId",
    members: [random.pick(["documents", "documents", "assessments"])],
    isLarge: true,
  });
  const gap = random.integer(...LARGE_ENDED_MS);
  const sentAgain: Moment = { ...next(random, amend()), again: gap + random.integer(0, AT_ONCE_MS[1] ?? 0) };
  const between: Moment = { operation: amend(), after: gap };
  const atLast = Array.from({ length: random.integer(1, 3) }, () => amend());
  return [sentAgain, between, ...atOnce(random, atLast)];
}

/** The platform's assessments outgrow the item, and are added to and replaced there. */
function assessedAtLength(random: Random, person: number): Moment[] {
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
function largeOnesAtOnce(random: Random, person: number): Moment[] {
  const amend = (member: "documents" | "assessments"): Operation => ({
    name: "amend",
    person,
    by: "stagedId",
    members: [member],
    isLarge: true,
  });
  return [next(random, amend("documents")), ...atOnce(random, [amend("assessments"), amend("documents")])];
}
