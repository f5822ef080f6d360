import type { CandidateEventType } from "#contract/events";
import type { PlatformTransition } from "#contract/platform-transition";
import type { Call, Response } from "../history.ts";
import type { Operation } from "../operations.ts";
import {
  eventsOf,
  type Fired,
  LATE_MS,
  type Made,
  madeOf,
  recordsOf,
  stepsAbout,
  writesOf,
} from "./evidence.ts";
import type { Invariant } from "./invariant.ts";

// Which calls fired events, and whether their responses say so.

/** The type of the event that a step fired, as the response to one of its calls says. */
function firedBy({ operation, calls }: Made): string | undefined {
  for (const { response } of calls) {
    const type = response && response.status < 300 ? firedAsOf(operation, response) : undefined;
    if (type !== undefined) return type;
  }
  return undefined;
}

/** The type of the event that an acknowledged call fired. */
function firedAsOf(operation: Operation, { body, headers }: Response): string | undefined {
  switch (operation.name) {
    case "create":
      return headers["Idempotent-Replayed"] ? undefined : "candidate.received";
    case "amend":
      return operation.consentGiven === false ? "candidate.consent_revoked" : undefined;
    case "requestErasure":
      return "candidate.erased";
    case "advance":
      return (body as { changed?: boolean }).changed ? TRANSITIONS[operation.transition] : undefined;
    default:
      return undefined;
  }
}

const TRANSITIONS: Readonly<Record<PlatformTransition, CandidateEventType>> = {
  verify: "candidate.verified",
  promote: "candidate.promoted",
  "fail-validation": "candidate.validation_failed",
  "revoke-consent": "candidate.consent_revoked",
  erase: "candidate.erased",
};

export const acknowledgedFires: Invariant = {
  sentence: "An acknowledged transition fires its event between the request and the response.",
  *violations(outcome) {
    for (const [key, people] of recordsOf(outcome)) {
      const events = eventsOf(outcome, key);
      for (const made of madeOf(outcome)) {
        const { operation, startedAt, endedAt, step } = made;
        if (!("person" in operation) || !people.includes(operation.person)) continue;
        const type = firedBy(made);
        if (type === undefined) continue;
        const fired = events.some(
          (event) => event.type === type && event.at >= startedAt && event.at <= endedAt,
        );
        if (!fired && !isOfTheSameMillisecond(stepsAbout(outcome, people), made))
          yield `step ${step.number} was acknowledged, but fired no ${type}`;
      }
    }
  },
};

/** Whether a create is taken for another one that names the same millisecond, on a clock that is behind. */
function isOfTheSameMillisecond(others: readonly Made[], { step, operation, completed }: Made): boolean {
  const receivedAt = (body: unknown) => (body as { receivedAt?: string }).receivedAt;
  return (
    operation.name === "create" &&
    others.some(
      (other) =>
        other.step !== step &&
        other.operation.name === "create" &&
        firedBy(other) !== undefined &&
        receivedAt(other.completed?.response.body) === receivedAt(completed?.response.body),
    )
  );
}

/** The events that a call may fire. */
function mayFire({ operation }: Made, type: string): boolean {
  switch (operation.name) {
    case "create":
      return type === "candidate.received";
    case "amend":
      return type === (operation.consentGiven ? "candidate.consent_restored" : "candidate.consent_revoked");
    case "requestErasure":
      return type === "candidate.erased";
    case "advance":
      return type === TRANSITIONS[operation.transition];
    default:
      return false;
  }
}

export const firingIsAcknowledged: Invariant = {
  sentence:
    "The response to a call that fired an event shows this, unless it was lost or another write followed.",
  *violations(outcome) {
    for (const [key, people] of recordsOf(outcome)) {
      const steps = stepsAbout(outcome, people);
      const writes = writesOf(outcome, key);
      for (const { type, at, id, item } of eventsOf(outcome, key)) {
        const next =
          writes[writes.findIndex((write) => write.item === item) + 1]?.at ?? Number.POSITIVE_INFINITY;
        const callers = steps.filter(
          (made) => mayFire(made, type) && made.startedAt <= at && at <= made.endedAt + LATE_MS,
        );
        const isTold = callers.some(
          (made) =>
            !made.isCertain ||
            next <= made.endedAt ||
            TOLD_NOTHING.has(made.operation.name) ||
            firedBy(made) === type,
        );
        if (callers.length > 0 && !isTold)
          yield `${type} (${id}) of ${key} was fired by a call whose response says otherwise`;
      }
    }
  },
};

/** Operations whose responses are the same whether they fired an event or found it in effect. */
const TOLD_NOTHING: ReadonlySet<string> = new Set(["amend", "requestErasure"]);

/**
 * Whether a call's response says that it did not fire an event. A 404 says how the candidate is now: it denies nothing
 * where another event has followed.
 */
function denies(
  { response, endedAt = Number.POSITIVE_INFINITY }: Call,
  fired: Fired,
  events: readonly Fired[],
): boolean {
  if (!response || response.status < 400 || response.status >= 500) return false;
  return response.status !== 404 || !events.some(({ at }) => at > fired.at && at <= endedAt);
}

export const onlyAsked: Invariant = {
  sentence: "Each event was caused by a separate call that was not refused.",
  *violations(outcome) {
    for (const [key, people] of recordsOf(outcome)) {
      const steps = stepsAbout(outcome, people);
      const spent = new Set<Call>();
      const events = eventsOf(outcome, key);
      for (const fired of events) {
        const { type, at, id } = fired;
        // An amend is one request, which knows no lives: the SDK's repetition may meet the next one.
        if (type === "candidate.received") {
          for (const call of spent) if (call.step.operation.name === "amend") spent.delete(call);
        }
        const callers = steps
          .filter((made) => mayFire(made, type))
          .flatMap(({ calls }) => calls)
          .filter((call) => !spent.has(call) && isWithin(call, at) && !denies(call, fired, events));
        const [caller] = callers.toSorted(isSpentBefore);
        if (caller) spent.add(caller);
        else yield `${type} (${id}) of ${key} was caused by no call`;
      }
    }
  },
};

/**
 * A 404 can only be of an event that another one followed: such a call is spent first, then the one that ended first.
 */
function isSpentBefore(left: Call, right: Call): number {
  const isNotFound = ({ response }: Call) => Number(response?.status === 404);
  return isNotFound(right) - isNotFound(left) || (left.endedAt ?? 0) - (right.endedAt ?? 0);
}

/** Whether a call may have had an effect at a moment: late, when its caller got no certain response. */
function isWithin({ startedAt, endedAt = Number.POSITIVE_INFINITY }: Call, at: number): boolean {
  return startedAt <= at && at <= endedAt + LATE_MS;
}
