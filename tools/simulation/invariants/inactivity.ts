import { HOUR, MINUTE } from "#runtime/durations";
import type { StoryOutcome } from "../outcome.ts";
import {
  attemptsBefore,
  type ChangedEndpoint,
  changedEndpoints,
  hasChanged,
  isStoppedByService,
  isUpdate,
} from "./changed-endpoints.ts";
import { allEvents, endpointsOf, eventIdOf, messagesIn, UNDER_WAY_MS } from "./delivery-evidence.ts";
import { type Item, isTaken, madeOf, mayActAfter } from "./evidence.ts";
import type { Invariant } from "./invariant.ts";
import { CLOCKS_MS, JITTER, timeOf, WAITS, WRITTEN_MS } from "./times.ts";

/** An endpoint becomes inactive after five days, in ms, less what clocks are apart (docs/guides/webhooks.md). */
const LEAST_FAILING_MS = 5 * 24 * HOUR - CLOCKS_MS;

export const stoppedForAReason: Invariant = {
  sentence:
    "An endpoint becomes inactive only by its organisation, by a 410 from its current address, or after days of failures.",
  *violations(outcome) {
    for (const { id, subscriber } of endpointsOf(outcome)) {
      let before: Item | undefined;
      let changedAt = 0;
      for (const { sk, at, item } of outcome.writes) {
        if (sk !== `ENDPOINT#${id}`) continue;
        const isReopened = before?.["active"] === false && item?.["active"] === true;
        if (isReopened || before?.["url"] !== item?.["url"]) changedAt = at;
        const isStopped = before?.["active"] === true && item?.["active"] === false;
        const failures = outcome.posts.filter(
          ({ address, startedAt }) =>
            address === item?.["url"] && startedAt <= at && startedAt + UNDER_WAY_MS >= changedAt,
        );
        const sinceTaken = failures.slice(failures.findLastIndex(isTaken) + 1);
        const failedFor = at - (sinceTaken[0]?.startedAt ?? at);
        const isGone = outcome.posts.some(
          ({ address, statusCode, startedAt }) =>
            address === item?.["url"] &&
            statusCode === 410 &&
            startedAt <= at &&
            startedAt + UNDER_WAY_MS >= changedAt,
        );
        const isAsked = madeOf(outcome, "update").some(
          (made) =>
            made.operation.subscriber === subscriber &&
            made.operation.active === false &&
            made.startedAt <= at &&
            mayActAfter(made, at),
        );
        if (isStopped && !isGone && !isAsked && !(failedFor >= LEAST_FAILING_MS))
          yield `${id} became inactive at ${new Date(at).toISOString()}`;
        before = item;
      }
    }
  },
};

export const inactivityIsExplained: Invariant = {
  sentence:
    "An inactive endpoint says when and why it was set inactive, until it is active again; an active one says neither.",
  *violations(outcome) {
    for (const changed of changedEndpoints(outcome)) {
      yield* problemsOfExplanation(changed);
      yield* problemsOfReason(outcome, changed);
      yield* problemsOfEvent(changed);
    }
  },
};

function isStopped({ before, after }: ChangedEndpoint): boolean {
  return before["active"] === true && after["active"] === false;
}

/** An endpoint has both the time and the reason while it is inactive, and neither while it is active. */
function* problemsOfExplanation({ after, name }: ChangedEndpoint): Generator<string> {
  const said = ["disabledAt", "disabledReason"].filter((each) => each in after);
  if (said.length === 1) yield `${name} has only ${said.join()}`;
  if (after["active"] === true && said.length > 0) yield `${name} is active, but has ${said.join()}`;
  if (after["active"] === false && said.length === 0) yield `${name} is inactive, and has no reason`;
}

/** The time and the reason are those of the write that set it inactive, and stay so. */
function* problemsOfReason(outcome: StoryOutcome, changed: ChangedEndpoint): Generator<string> {
  const { at, before, after, name } = changed;
  const isDisabled = isStoppedByService(changed);
  if (isStopped(changed) && !isDisabled && after["disabledReason"] !== "by_request")
    yield `${name} is inactive by request, but has the reason ${after["disabledReason"]}`;
  if (isDisabled && Math.abs(timeOf(after["disabledAt"]) - at) > WRITTEN_MS)
    yield `${name} is disabled since ${after["disabledAt"]}`;
  const hasSaidSo = attemptsBefore(outcome, before["url"], at).some(({ statusCode }) => statusCode === 410);
  if (isDisabled && after["disabledReason"] === "gone" && !hasSaidSo)
    yield `${name} is gone, but has not said so`;
  const isExplainedAnew = hasChanged(changed, "disabledAt") || hasChanged(changed, "disabledReason");
  if (!isStopped(changed) && after["active"] === false && isExplainedAnew)
    yield `${name} has another reason to be inactive`;
}

/** The service fires an event when it sets an endpoint inactive, and only then. */
function* problemsOfEvent(changed: ChangedEndpoint): Generator<string> {
  const { after, name } = changed;
  const isDisabled = isStoppedByService(changed);
  const event = after["event"] as { type?: string } | undefined;
  if (isDisabled !== (event?.type === "webhook_endpoint.disabled"))
    yield `${name} ${isDisabled ? "is disabled without its event" : "fires the event again"}`;
}

/** The recoveries that a write completed at a moment. */
function isRecovered(outcome: StoryOutcome, endpointId: unknown, at: number): boolean {
  return outcome.writes.some(
    ({ at: moment, pk, sk, item }) =>
      moment === at &&
      pk === `ENDPOINT#${endpointId}` &&
      sk.startsWith("RECOVERY#") &&
      item?.["status"] === "completed",
  );
}

export const missedIsRemembered: Invariant = {
  sentence:
    "An inactive endpoint knows since when it has missed events, until a recovery has sent all of them.",
  *violations(outcome) {
    for (const changed of changedEndpoints(outcome)) {
      const { at, before, after, name } = changed;
      const [former, missedSince] = [before["missedSince"], after["missedSince"]];
      if (after["active"] === false && missedSince === undefined)
        yield `${name} has missed nothing, but is inactive`;
      if (former !== undefined && missedSince === undefined && !isRecovered(outcome, after["id"], at))
        yield `${name} forgets what it has missed`;
      if (former === undefined && missedSince !== undefined && after["active"] !== false)
        yield `${name} has missed events since ${missedSince} without being inactive`;
      if (former !== undefined && missedSince !== undefined && timeOf(missedSince) > timeOf(former))
        yield `${name} has missed events only since ${missedSince}, not since ${former}`;
      if (isStopped(changed) && former === undefined) yield* problemsOfFirstMissed(changed);
    }
  },
};

/** An endpoint that is set inactive misses events since it began to fail, or since the request that set it inactive. */
function* problemsOfFirstMissed(changed: ChangedEndpoint): Generator<string> {
  const { at, before, after, name } = changed;
  const { missedSince } = after;
  if (isUpdate(changed) || after["disabledReason"] === "failing") {
    const expected = before["failingSince"] ?? (isUpdate(changed) ? after["updatedAt"] : undefined);
    if (missedSince !== expected)
      yield `${name} has missed events since ${missedSince}, not since ${expected}`;
  } else if (timeOf(missedSince) > at + CLOCKS_MS) {
    yield `${name} will have missed events since ${missedSince}`;
  }
}

export const givingUpLeavesALetter: Invariant = {
  sentence:
    "When an endpoint is set inactive because it keeps failing, the delivery that failed last is a dead letter.",
  *violations(outcome) {
    const letters = messagesIn(outcome, "DeadLetters").map((body) => JSON.parse(body));
    const isPutBack = madeOf(outcome, "redrive").some(({ operation }) => operation.queue === "deliveries");
    if (isPutBack) return;
    for (const { subscriber, url, id } of endpointsOf(outcome)) {
      let wasActive = false;
      for (const { sk, at, item } of outcome.writes) {
        if (sk !== `ENDPOINT#${id}`) continue;
        const isStopped = wasActive && item?.["active"] === false && item["disabledReason"] === "failing";
        wasActive = item?.["active"] === true;
        if (!isStopped) continue;
        const failed = outcome.posts.filter(
          (post) =>
            post.subscriber === subscriber && post.startedAt <= at && post.startedAt + UNDER_WAY_MS >= at,
        );
        const isKept = letters.some(
          ({ endpointId, eventId }) =>
            endpointId === id && failed.some((post) => eventIdOf(post) === eventId),
        );
        if (!isKept) yield `${url} became inactive at ${new Date(at).toISOString()} without a dead letter`;
      }
    }
  },
};

export const inactivityDropsNothingEarly: Invariant = {
  sentence:
    "A delivery that waits for an inactive endpoint is kept until its last attempt would have been due.",
  *violations(outcome) {
    const firedAt = new Map(allEvents(outcome).map(({ id, at }) => [id, at]));
    const least = WAITS.reduce((sum, wait) => sum + wait) * (1 - JITTER);
    for (const { url, id, orgId } of endpointsOf(outcome)) {
      for (const { pk, sk, at, item } of outcome.writes) {
        if (!pk.startsWith(`ENDPOINT#${id}#`) || item?.["status"] !== "dropped" || item["reason"]) continue;
        const eventId = sk.slice("DELIVERY#".length);
        const isDeleted = !itemAt(outcome, { pk: `ENDPOINTS#${orgId}`, sk: `ENDPOINT#${id}` }, at);
        const isGone = outcome.posts.some(
          (post) => post.url === url && post.statusCode === 410 && eventIdOf(post) === eventId,
        );
        if (isDeleted || isGone || item["sample"]) continue;
        const kept = at - (firedAt.get(eventId) ?? 0);
        if (kept < least - CLOCKS_MS)
          yield `${eventId} is dropped after ${Math.round(kept / MINUTE)} minutes`;
      }
    }
  },
};

/** An item as it was at a moment. */
function itemAt(
  { writes }: StoryOutcome,
  { pk, sk }: { readonly pk: string; readonly sk: string },
  moment: number,
): Item | undefined {
  return writes.findLast((write) => write.pk === pk && write.sk === sk && write.at <= moment)?.item;
}
