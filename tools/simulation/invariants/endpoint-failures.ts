import { isDeepStrictEqual } from "node:util";
import { DAY, MINUTE } from "#runtime/durations";
import type { Post } from "../history.ts";
import type { StoryOutcome } from "../outcome.ts";
import {
  type ChangedEndpoint,
  changedEndpoints,
  follows,
  hasChanged,
  isUpdate,
  postsBefore,
  writtenEndpoints,
} from "./changed-endpoints.ts";
import { type Item, isCalm, isTaken, LATE_MS } from "./evidence.ts";
import type { Invariant } from "./invariant.ts";
import { CLOCKS_MS, timeOf, WRITTEN_MS } from "./times.ts";

/** The days on which an endpoint counts failures, in an item. */
function countersIn(item: Item): [name: string, count: number][] {
  return Object.entries(item).flatMap(([name, value]): [string, number][] =>
    name.startsWith("failuresOn") ? [[name, Number(value)]] : [],
  );
}

/** The counters of the last five days, less one around midnight. Older ones may remain. */
function currentCounters(item: Item, now: number): [name: string, count: number][] {
  const days = Array.from({ length: 5 }, (_, back) => counterOf(now - back * DAY));
  return countersIn(item).filter(([name]) => days.includes(name));
}

function counterOf(moment: number): string {
  return `failuresOn${new Date(moment).toISOString().slice(0, 10).replaceAll("-", "")}`;
}

/** The counters that a write has raised, or set anew. */
function risenCounters({ before, after }: ChangedEndpoint): [name: string, count: number][] {
  return countersIn(after).filter(([day, count]) => count !== before[day]);
}

export const failuresAreCounted: Invariant = {
  sentence:
    "An endpoint's series of failures begins with a failed attempt, counts attempts by day, and ends with a success, another address or an activation.",
  *violations(outcome) {
    for (const changed of changedEndpoints(outcome)) {
      yield* problemsOfCounters(outcome, changed);
      yield* problemsOfBeginning(changed);
      yield* problemsOfEnd(outcome, changed);
      yield* problemsOfMemory(changed);
      yield* problemsOfReopening(changed);
    }
  },
};

/** Each failed attempt adds one to the counter of its day. */
function* problemsOfCounters(outcome: StoryOutcome, changed: ChangedEndpoint): Generator<string> {
  const { at, before, name } = changed;
  const risen = risenCounters(changed);
  if (risen.length > 1) yield `${name} counted on several days`;
  for (const [day, count] of risen) {
    if (count !== Number(before[day] ?? 0) + 1) yield `${name} counted ${count} after ${before[day]}`;
    if (![at - MINUTE, at + CLOCKS_MS].map(counterOf).includes(day)) yield `${name} counted on ${day}`;
    if (!postsBefore(outcome, before["url"], at).some(isFailure))
      yield `${name} counted a failure, but no attempt had failed`;
  }
}

/** A series begins with a failure, at the time of that, and its beginning stays what it was. */
function* problemsOfBeginning(changed: ChangedEndpoint): Generator<string> {
  const { at, before, after, name } = changed;
  const [former, failingSince] = [before["failingSince"], after["failingSince"]];
  if (failingSince === undefined) return;
  if (former === undefined) {
    if (risenCounters(changed).length === 0) yield `${name} began to fail without a failure`;
    if (Math.abs(timeOf(failingSince) - at) > WRITTEN_MS) yield `${name} failed since ${failingSince}`;
  } else if (hasChanged(changed, "failingSince")) {
    yield `${name} failed since ${failingSince} instead of ${former}`;
  }
}

/** A series ends with a success, or with a change that moves or activates the endpoint. */
function* problemsOfEnd(outcome: StoryOutcome, changed: ChangedEndpoint): Generator<string> {
  const { at, before, after, name } = changed;
  const isEnded = before["failingSince"] !== undefined && after["failingSince"] === undefined;
  if (!isEnded) return;
  // A late change ends the failures of the address that it read, not of the one that it finds.
  const isLate = !isCalm(outcome, at - MINUTE, at);
  const isReset = isUpdate(changed) && (hasChanged(changed, "url") || after["active"] === true || isLate);
  // Two successes may have the same millisecond.
  const hasSucceeded = Math.abs(timeOf(after["lastSuccessAt"]) - at) < WRITTEN_MS;
  if (!isReset && !hasSucceeded) yield `${name} no longer fails, without a success`;
}

/** An endpoint keeps the counters of a series until it ends, and nothing of it afterwards. */
function* problemsOfMemory(changed: ChangedEndpoint): Generator<string> {
  const { at, before, after, name } = changed;
  if (after["failingSince"] === undefined) {
    if (after["failingNoticeAt"] !== undefined) yield `${name} keeps the notice of a series that has ended`;
    if (currentCounters(after, at - MINUTE).length > 0)
      yield `${name} counts failures although it does not fail`;
    return;
  }
  const lost = currentCounters(before, at - MINUTE).filter(([day]) => !(day in after));
  if (!hasChanged(changed, "failingSince") && lost.length > 0)
    yield `${name} forgets its ${lost.map(([day]) => day).join()}`;
}

/** A change that moves or activates an endpoint ends its series. */
function* problemsOfReopening(changed: ChangedEndpoint): Generator<string> {
  const { after, name } = changed;
  const isActivated = hasChanged(changed, "active") && after["active"];
  const isReopened = isUpdate(changed) && (hasChanged(changed, "url") || isActivated);
  if (isReopened && after["failingSince"] !== undefined) yield `${name} still fails after its change`;
}

/**
 * Whether an attempt counts as a failure: not if the receiver is busy or gone, nor that of a sample or one that is cut.
 */
function isFailure(post: Post): boolean {
  const { statusCode, retryAfter, isCut, body } = post;
  return (
    !isTaken(post) && !isCut && statusCode !== 410 && retryAfter === undefined && !JSON.parse(body).sample
  );
}

export const failuresHaveConsequences: Invariant = {
  sentence:
    "A failure after a day of failures fires a notice, and after five days with ten failures on three days sets the endpoint inactive.",
  *violations(outcome) {
    const changes = changedEndpoints(outcome);
    for (const changed of changes) {
      const { at, after } = changed;
      const isCounted = risenCounters(changed).length > 0;
      if (!isCounted || after["active"] !== true || !isCalm(outcome, at, at + MINUTE)) continue;
      const failedFor = at - timeOf(after["failingSince"]);
      const isOver = (later: ChangedEndpoint) =>
        later.after["failingSince"] === undefined || later.after["active"] === false || isUpdate(later);
      const isNotified = (later: ChangedEndpoint) =>
        later.after["failingNoticeAt"] !== undefined || isOver(later);
      if (failedFor > DAY + CLOCKS_MS && !follows(changes, changed, isNotified))
        yield `${after["id"]} has no notice, although it has failed for ${failedFor} ms`;
      const counters = currentCounters(after, at);
      const failures = counters.reduce((sum, [, count]) => sum + count, 0);
      const isHopeless = failedFor > 5 * DAY + CLOCKS_MS && failures >= 10 && counters.length >= 3;
      if (isHopeless && !follows(changes, changed, isOver))
        yield `${after["id"]} stays active after ${failures} failures on ${counters.length} days`;
      // The service may also count the day before.
      const counted = countersIn(after);
      const isEarly = counted.reduce((sum, [, count]) => sum + count, 0) < 10 || counted.length < 3;
      const isDisabled = (later: ChangedEndpoint) =>
        later.before["active"] === true &&
        later.after["disabledReason"] === "failing" &&
        isDeepStrictEqual(countersIn(later.before), countersIn(after));
      if (isEarly && follows(changes, changed, isDisabled))
        yield `${after["id"]} became inactive after ${counted.map(([, count]) => count).join(", ")} failures a day`;
    }
  },
};

export const successesAreRecorded: Invariant = {
  sentence:
    "An endpoint's last success is that of an attempt, at most 75 minutes too early, and ends its failures.",
  *violations(outcome) {
    for (const changed of changedEndpoints(outcome))
      if (hasChanged(changed, "lastSuccessAt")) yield* problemsOfSuccess(outcome, changed);
    for (const item of outcome.items) {
      if (!item["pk"] || !String(item["sk"]).startsWith("ENDPOINT#")) continue;
      const last = decisiveAttempt(outcome, item);
      if (last) yield* problemsOfLastAttempt(item, last);
    }
  },
};

/** A success that is recorded is that of an attempt just before, and an hour later than the one recorded before it. */
function* problemsOfSuccess(
  outcome: StoryOutcome,
  { at, before, after, name }: ChangedEndpoint,
): Generator<string> {
  const success = timeOf(after["lastSuccessAt"]);
  const isAttempted = outcome.posts.some(
    (post) =>
      isTaken(post) &&
      post.startedAt <= at &&
      post.startedAt + WRITTEN_MS >= success &&
      sharesUrl(post, after),
  );
  if (!isAttempted || Math.abs(success - at) > WRITTEN_MS)
    yield `${name} has the last success ${after["lastSuccessAt"]}`;
  const since = success - timeOf(before["lastSuccessAt"] ?? 0);
  const isAnother = before["lastSuccessAt"] !== undefined && before["failingSince"] === undefined;
  if (isAnother && since < 60 * MINUTE - CLOCKS_MS) yield `${name} records another success after ${since} ms`;
}

/** The last attempt at an endpoint, if that alone decides whether the endpoint fails at the end. */
function decisiveAttempt(outcome: StoryOutcome, item: Item): Post | undefined {
  const last = outcome.posts.findLast((post) => post.address === item["url"] && !post.isCut);
  if (!last || mayShareAddress(outcome, item, last.startedAt)) return undefined;
  const changedAt =
    changedEndpoints(outcome).findLast((each) => each.after["id"] === item["id"] && isUpdate(each))?.at ?? 0;
  if (last.startedAt < changedAt + LATE_MS || last.startedAt < timeOf(item["createdAt"])) return undefined;
  const isRivalled = outcome.posts.some(
    (post) => post.address === item["url"] && post !== last && post.startedAt + WRITTEN_MS > last.startedAt,
  );
  return !isRivalled && isCalm(outcome, last.startedAt, last.startedAt + WRITTEN_MS) ? last : undefined;
}

/** Whether another endpoint has an endpoint's address, or had it at an attempt and was moved or deleted since. */
function mayShareAddress(outcome: StoryOutcome, item: Item, attemptedAt: number): boolean {
  const isLeft = writtenEndpoints(outcome).some(
    ({ at, before }) =>
      before?.["url"] === item["url"] && before?.["id"] !== item["id"] && at + WRITTEN_MS >= attemptedAt,
  );
  return isLeft || outcome.items.filter(({ url }) => url === item["url"]).length !== 1;
}

/** An endpoint fails if its last attempt failed; if that succeeded, it does not, and has a recent success. */
function* problemsOfLastAttempt(item: Item, last: Post): Generator<string> {
  const { startedAt, statusCode, retryAfter, body } = last;
  if (isTaken(last)) {
    if (item["failingSince"] !== undefined)
      yield `${item["id"]} fails since ${item["failingSince"]}, although its last attempt succeeded`;
    if (!(timeOf(item["lastSuccessAt"]) + 75 * MINUTE + CLOCKS_MS >= startedAt))
      yield `${item["id"]} has the last success ${item["lastSuccessAt"]}, but took a delivery at ${new Date(startedAt).toISOString()}`;
    return;
  }
  const isBusy = retryAfter !== undefined || statusCode === 410;
  const isSample = JSON.parse(body).sample === true;
  if (!isBusy && !isSample && item["failingSince"] === undefined)
    yield `${item["id"]} does not fail, although its last attempt failed`;
}

function sharesUrl({ url }: Post, item: Item): boolean {
  return url === String(item["url"]).split("?")[0];
}
