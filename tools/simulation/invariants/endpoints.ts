import { isDeepStrictEqual } from "node:util";
import type { Post } from "../history.ts";
import type { StoryOutcome } from "../outcome.ts";
import {
  type Changed,
  changesOf,
  computedOnce,
  type Item,
  isCalm,
  isTaken,
  LATE_MS,
  madeOf,
  mayActAfter,
} from "./evidence.ts";
import type { Invariant } from "./invariant.ts";
import { CLOCKS_MS, DAY, MINUTE, SECOND, timeOf, WRITTEN_MS } from "./times.ts";

// What an endpoint's item says, compared with what was asked of the service and with what the receiver responded.

/** From the end of an attempt that is cut until that is recorded, in ms, unless there is a fault. */
const CUT_RECORDED_MS = 5 * SECOND;

/** An existing endpoint that a write has changed. */
interface ChangedEndpoint extends Changed {
  readonly before: Item;
  readonly after: Item;
  /** Its id, and when. */
  readonly name: string;
}

/** The writes of endpoints, their registrations and deletions included. */
const writtenEndpoints = computedOnce((outcome: StoryOutcome): readonly Changed[] =>
  changesOf(outcome, ({ pk, sk }) => pk.startsWith("ENDPOINTS#") && sk.startsWith("ENDPOINT#")),
);

const changedEndpoints = computedOnce((outcome: StoryOutcome): readonly ChangedEndpoint[] =>
  writtenEndpoints(outcome).flatMap(({ before, after, ...written }) => {
    if (!before || !after) return [];
    return [{ ...written, before, after, name: `${after["id"]} at ${new Date(written.at).toISOString()}` }];
  }),
);

function hasChanged({ before, after }: ChangedEndpoint, name: string): boolean {
  return !isDeepStrictEqual(before[name], after[name]);
}

function isSuccess({ statusCode = 0 }: Post): boolean {
  return statusCode >= 200 && statusCode < 300;
}

function isFast(post: Post): boolean {
  return isSuccess(post) && post.durationMs < 1_000;
}

/** The attempts at an address that may have ended just before a moment. */
function attemptsBefore({ posts }: StoryOutcome, address: unknown, moment: number): Post[] {
  return posts.filter(
    (post) => post.address === address && post.startedAt <= moment && post.startedAt + WRITTEN_MS >= moment,
  );
}

/** The same at this address, or at another one that the endpoint may have had. */
function postsBefore({ posts }: StoryOutcome, address: unknown, moment: number): Post[] {
  const [url] = String(address).split("?");
  return posts.filter(
    (post) => post.url === url && post.startedAt <= moment && post.startedAt + WRITTEN_MS >= moment,
  );
}

/** Whether a write is the service's, which sets a failing endpoint inactive. */
function isStoppedByService({ before, after }: ChangedEndpoint): boolean {
  const isStopped = before["active"] === true && after["active"] === false;
  return isStopped && ["failing", "gone"].includes(String(after["disabledReason"]));
}

/** Whether a write is an organisation's change of its endpoint. Two may have the same millisecond. */
function isUpdate(changed: ChangedEndpoint): boolean {
  const isSwitched = hasChanged(changed, "active") && !isStoppedByService(changed);
  return isSwitched || ["updatedAt", "url", "eventTypes"].some((name) => hasChanged(changed, name));
}

export const endpointsChangeAsAsked: Invariant = {
  sentence:
    "An endpoint's address, event types and activity change together as requested, or the service sets it inactive.",
  *violations(outcome) {
    const updates = madeOf(outcome, "update");
    for (const changed of changedEndpoints(outcome)) {
      const { at, before, after, name } = changed;
      for (const member of ["id", "orgId", "createdAt", "description"])
        if (hasChanged(changed, member)) yield `${name} has another ${member}`;
      const differing = ["url", "eventTypes", "active"].filter((member) => hasChanged(changed, member));
      if (!isUpdate(changed)) {
        const isStopped =
          isDeepStrictEqual(differing, ["active"]) && after["active"] === false && "disabledAt" in after;
        if (differing.length > 0 && !isStopped) yield `${name} has another ${differing.join()}`;
        continue;
      }
      const isAsked = updates.some(({ operation, startedAt, endedAt, isCertain }) => {
        const {
          active = before["active"],
          eventTypes = before["eventTypes"],
          subscriber,
          isMoved,
        } = operation;
        const { url = "" } = outcome.story.subscribers[subscriber] ?? {};
        return (
          startedAt <= at &&
          mayActAfter({ endedAt, isCertain }, at) &&
          after["active"] === active &&
          isDeepStrictEqual(after["eventTypes"], eventTypes) &&
          after["url"] === (isMoved ? `${url}?moved` : before["url"])
        );
      });
      if (!isAsked) yield `${name} is changed as nobody has asked`;
      if (Math.abs(timeOf(after["updatedAt"]) - at) > WRITTEN_MS)
        yield `${name} has the updatedAt ${after["updatedAt"]}`;
    }
  },
};

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

export const failuresAreCounted: Invariant = {
  sentence:
    "An endpoint's series of failures begins with a failed attempt, counts attempts by day, and ends with a success, another address or an activation.",
  *violations(outcome) {
    for (const changed of changedEndpoints(outcome)) {
      const { at, before, after, name } = changed;
      const risen = countersIn(after).filter(([day, count]) => count !== before[day]);
      const isEnded = before["failingSince"] !== undefined && after["failingSince"] === undefined;
      if (risen.length > 1) yield `${name} counted on several days`;
      for (const [day, count] of risen) {
        if (count !== Number(before[day] ?? 0) + 1) yield `${name} counted ${count} after ${before[day]}`;
        if (![at - MINUTE, at + CLOCKS_MS].map(counterOf).includes(day)) yield `${name} counted on ${day}`;
        if (!postsBefore(outcome, before["url"], at).some(isFailure))
          yield `${name} counted a failure, but no attempt had failed`;
      }
      if (before["failingSince"] === undefined && after["failingSince"] !== undefined) {
        if (risen.length === 0) yield `${name} began to fail without a failure`;
        if (Math.abs(timeOf(after["failingSince"]) - at) > WRITTEN_MS)
          yield `${name} failed since ${after["failingSince"]}`;
      }
      if (!isEnded && before["failingSince"] !== undefined && hasChanged(changed, "failingSince"))
        yield `${name} failed since ${after["failingSince"]} instead of ${before["failingSince"]}`;
      if (isEnded) {
        // A late change ends the failures of the address that it read, not of the one that it finds.
        const isLate = !isCalm(outcome, at - MINUTE, at);
        const isReset =
          isUpdate(changed) && (hasChanged(changed, "url") || after["active"] === true || isLate);
        // Two successes may have the same millisecond.
        const hasSucceeded = Math.abs(timeOf(after["lastSuccessAt"]) - at) < WRITTEN_MS;
        if (!isReset && !hasSucceeded) yield `${name} no longer fails, without a success`;
      }
      const isSame = !hasChanged(changed, "failingSince") && after["failingSince"] !== undefined;
      const lost = currentCounters(before, at - MINUTE).filter(([day]) => !(day in after));
      if (isSame && lost.length > 0) yield `${name} forgets its ${lost.map(([day]) => day).join()}`;
      if (after["failingSince"] === undefined) {
        if (after["failingNoticeAt"] !== undefined)
          yield `${name} keeps the notice of a series that has ended`;
        if (currentCounters(after, at - MINUTE).length > 0)
          yield `${name} counts failures although it does not fail`;
      }
      const isReopened =
        isUpdate(changed) &&
        (hasChanged(changed, "url") || (hasChanged(changed, "active") && after["active"]));
      if (isReopened && after["failingSince"] !== undefined) yield `${name} still fails after its change`;
    }
  },
};

/** Whether an attempt counts as a failure: not if the receiver is busy or gone, nor that of a sample or one that is cut. */
function isFailure(post: Post): boolean {
  const { statusCode, retryAfter, isCut, body } = post;
  return (
    !isTaken(post) && !isCut && statusCode !== 410 && retryAfter === undefined && !JSON.parse(body).sample
  );
}

/** The next state of an endpoint that meets a condition, within a minute of a change. */
function follows(
  changes: readonly ChangedEndpoint[],
  { at, sk }: ChangedEndpoint,
  meets: (changed: ChangedEndpoint) => boolean,
): boolean {
  return changes.some(
    (later) => later.sk === sk && later.at >= at && later.at <= at + MINUTE && meets(later),
  );
}

export const failuresHaveConsequences: Invariant = {
  sentence:
    "A failure after a day of failures fires a notice, and after five days with ten failures on three days sets the endpoint inactive.",
  *violations(outcome) {
    const changes = changedEndpoints(outcome);
    for (const changed of changes) {
      const { at, before, after } = changed;
      const isCounted = countersIn(after).some(([day, count]) => count !== before[day]);
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

export const inactivityIsExplained: Invariant = {
  sentence:
    "An inactive endpoint says when and why it was set inactive, until it is active again; an active one says neither.",
  *violations(outcome) {
    for (const changed of changedEndpoints(outcome)) {
      const { at, before, after, name } = changed;
      const said = ["disabledAt", "disabledReason"].filter((name) => name in after);
      if (said.length === 1) yield `${name} has only ${said.join()}`;
      if (after["active"] === true && said.length > 0) yield `${name} is active, but has ${said.join()}`;
      if (after["active"] === false && said.length === 0) yield `${name} is inactive, and has no reason`;
      const isStopped = before["active"] === true && after["active"] === false;
      const isDisabled = isStoppedByService(changed);
      if (isStopped && !isDisabled && after["disabledReason"] !== "by_request")
        yield `${name} is inactive by request, but has the reason ${after["disabledReason"]}`;
      if (isDisabled && Math.abs(timeOf(after["disabledAt"]) - at) > WRITTEN_MS)
        yield `${name} is disabled since ${after["disabledAt"]}`;
      if (isDisabled && after["disabledReason"] === "gone") {
        const isGone = attemptsBefore(outcome, before["url"], at).some(
          ({ statusCode }) => statusCode === 410,
        );
        if (!isGone) yield `${name} is gone, but has not said so`;
      }
      if (
        !isStopped &&
        after["active"] === false &&
        (hasChanged(changed, "disabledAt") || hasChanged(changed, "disabledReason"))
      )
        yield `${name} has another reason to be inactive`;
      if (
        isDisabled !==
        ((after["event"] as { type?: string } | undefined)?.type === "webhook_endpoint.disabled")
      )
        yield `${name} ${isDisabled ? "is disabled without its event" : "fires the event again"}`;
    }
  },
};

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
      const isStopped = before["active"] === true && after["active"] === false;
      const beganToFail = before["failingSince"];
      if (isStopped && former === undefined) {
        const expected = beganToFail ?? (isUpdate(changed) ? after["updatedAt"] : undefined);
        if (isUpdate(changed) || after["disabledReason"] === "failing") {
          if (missedSince !== expected)
            yield `${name} has missed events since ${missedSince}, not since ${expected}`;
        } else if (timeOf(missedSince) > at + CLOCKS_MS)
          yield `${name} will have missed events since ${missedSince}`;
      }
    }
  },
};

export const paceFollowsResponses: Invariant = {
  sentence:
    "An endpoint becomes suspected, slow or proven only by responses to its attempts, and fast again after twenty fast ones and ten minutes.",
  *violations(outcome) {
    for (const changed of changedEndpoints(outcome)) {
      const { at, before, after, name } = changed;
      const attempts = attemptsBefore(outcome, before["url"], at);
      const wasMoved = hasChanged(changed, "url");
      if (wasMoved && after["unprovenSince"] !== after["updatedAt"])
        yield `${name} is proven although it was moved`;
      // Of two requests that move it to the same address, the second one changes no address.
      const isAlsoMoved = isUpdate(changed) && after["unprovenSince"] === after["updatedAt"];
      const isProven = after["unprovenSince"] === undefined && attempts.some(isSuccess);
      if (!wasMoved && hasChanged(changed, "unprovenSince") && !isAlsoMoved && !isProven)
        yield `${name} changes to unproven since ${after["unprovenSince"]}`;
      const [cutBefore, cut] = [before, after].map((item) => item["slowSince"] ?? item["probationSince"]);
      if (after["slowSince"] !== undefined && after["probationSince"] !== undefined)
        yield `${name} is slow and on probation`;
      const fast = Number(after["fastResponses"] ?? 0);
      if (fast > Math.min(20, Number(before["fastResponses"] ?? 0) + 1) || (fast > 0 && cut === undefined))
        yield `${name} counts ${fast} fast responses`;
      if (fast > Number(before["fastResponses"] ?? 0) && !attempts.some(isFast))
        yield `${name} counts a response that was not fast`;
      const isLate = postsBefore(outcome, before["url"], at).some(({ durationMs }) => durationMs >= 1_000);
      for (const pace of ["suspectedSince", "probationSince", "slowSince"]) {
        if (before[pace] === undefined && after[pace] !== undefined && !isLate)
          yield `${name} gets ${pace} without a late response`;
        // At a new address, suspicion begins anew.
        const isAnew = pace === "suspectedSince" && before["unprovenSince"] !== undefined && isLate;
        if (before[pace] !== undefined && after[pace] !== undefined && hasChanged(changed, pace) && !isAnew)
          yield `${name} has another ${pace}`;
      }
      if (cutBefore !== undefined && cut === undefined) {
        const lasted = at - timeOf(cutBefore);
        if (Number(before["fastResponses"] ?? 0) < 19 || lasted < 10 * MINUTE - CLOCKS_MS)
          yield `${name} is fast again after ${before["fastResponses"]} responses and ${lasted} ms`;
      }
    }
  },
};

export const cutsAreRecorded: Invariant = {
  sentence: "After an attempt was cut, its endpoint is on probation or slow.",
  *violations(outcome) {
    const endpoints = writtenEndpoints(outcome);
    for (const { address, startedAt, durationMs, isCut } of outcome.posts) {
      const endedAt = startedAt + durationMs;
      if (!isCut || !isCalm(outcome, startedAt, endedAt + CUT_RECORDED_MS)) continue;
      const until = endedAt + CUT_RECORDED_MS;
      const wasCut = (item: Item | undefined) =>
        item?.["url"] === address &&
        (item["probationSince"] !== undefined || item["slowSince"] !== undefined);
      const isRecorded = endpoints.some(({ sk, at, before, after }) => {
        const isThere =
          at <= until &&
          !endpoints.some((later) => later.sk === sk && later.at > at && later.at <= startedAt);
        return (
          isThere &&
          (wasCut(after) || wasCut(before) || (before?.["url"] === address && after?.["url"] !== address))
        );
      });
      if (!isRecorded)
        yield `${address} is neither slow nor on probation after its attempt at ${new Date(startedAt).toISOString()}`;
    }
  },
};

/** What makes deliveries use another queue, none, or another key. */
function laneIn(item: Item): string {
  if ("slowSince" in item) return "retry";
  const inSide = ["unprovenSince", "failingSince", "suspectedSince", "probationSince"];
  return inSide.some((name) => name in item) ? "side" : "delivery";
}

export const versionsAnnounceChanges: Invariant = {
  sentence: "Each change of an endpoint that processes must know of raises its version by one.",
  *violations(outcome) {
    const changes = changedEndpoints(outcome);
    for (const changed of changes) {
      const { at, before, after, name } = changed;
      const rise = Number(after["version"] ?? 0) - Number(before["version"] ?? 0);
      if (rise !== 0 && rise !== 1) yield `${name} raises its version by ${rise}`;
      const isOfOrganisation = isUpdate(changed) || hasChanged(changed, "sealedSecret");
      if (isOfOrganisation && rise !== 1) yield `${name} changes without another version`;
      const isOther = hasChanged(changed, "active") || laneIn(before) !== laneIn(after);
      if (isOfOrganisation || !isOther || !isCalm(outcome, at, at + MINUTE)) continue;
      const isDeleted = outcome.writes.some(
        (write) => write.sk === changed.sk && !write.item && write.at >= at && write.at <= at + MINUTE,
      );
      if (isDeleted) continue;
      const isAnnounced = (later: ChangedEndpoint) =>
        Number(later.after["version"]) > Number(before["version"]);
      if (!follows(changes, changed, isAnnounced))
        yield `${name} changes from ${laneIn(before)} to ${laneIn(after)} without another version`;
    }
  },
};

export const secretsAreFoundByTheirKey: Invariant = {
  sentence:
    "The index has an endpoint under the oldest key of its secrets, and a rotation keeps the previous secret for a day.",
  *violations(outcome) {
    for (const changed of changedEndpoints(outcome)) {
      const { at, before, after, name } = changed;
      const secrets = [after["sealedSecret"], after["previousSealedSecret"]].filter(
        (each) => each !== undefined,
      );
      const oldest = Math.min(...secrets.map((sealed) => keyOf(sealed)));
      if (Number(after["sealingKeyId"]) !== oldest)
        yield `${name} is found under ${after["sealingKeyId"]}, not ${oldest}`;
      if (!hasChanged(changed, "sealedSecret")) continue;
      const expiry = timeOf(after["previousSecretExpiresAt"]);
      if (!hasChanged(changed, "previousSecretExpiresAt")) {
        const isOlder =
          keyOf(after["sealedSecret"]) < keyOf(before["sealedSecret"]) ||
          ("previousSealedSecret" in before &&
            keyOf(after["previousSealedSecret"]) < keyOf(before["previousSealedSecret"]));
        if (isOlder || !("sealedSecret" in after)) yield `${name} is resealed with an older key`;
        const isKept = "previousSealedSecret" in before === "previousSealedSecret" in after;
        if (!isKept) yield `${name} loses its previous secret`;
        continue;
      }
      if (after["previousSealedSecret"] !== before["sealedSecret"])
        yield `${name} is rotated to another previous secret`;
      if (Math.abs(expiry - at - DAY) > WRITTEN_MS)
        yield `${name} keeps its previous secret until ${after["previousSecretExpiresAt"]}`;
    }
  },
};

function keyOf(sealed: unknown): number {
  return Number(String(sealed).split(".", 1)[0]);
}

export const successesAreRecorded: Invariant = {
  sentence:
    "An endpoint's last success is that of an attempt, at most 75 minutes too early, and ends its failures.",
  *violations(outcome) {
    for (const changed of changedEndpoints(outcome)) {
      const { at, before, after, name } = changed;
      if (!hasChanged(changed, "lastSuccessAt")) continue;
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
      if (
        before["lastSuccessAt"] !== undefined &&
        before["failingSince"] === undefined &&
        since < 60 * MINUTE - CLOCKS_MS
      )
        yield `${name} records another success after ${since} ms`;
    }
    for (const item of outcome.items) {
      if (!item["pk"] || !String(item["sk"]).startsWith("ENDPOINT#")) continue;
      const latest = outcome.posts.findLast((post) => post.address === item["url"] && !post.isCut);
      // The attempt may be of another endpoint, which has been moved or deleted since.
      const isLeft = writtenEndpoints(outcome).some(
        ({ at, before }) =>
          before?.["url"] === item["url"] &&
          before?.["id"] !== item["id"] &&
          at + WRITTEN_MS >= (latest?.startedAt ?? 0),
      );
      const isOnlyOne = outcome.items.filter(({ url }) => url === item["url"]).length === 1 && !isLeft;
      const since =
        changedEndpoints(outcome).findLast((each) => each.after["id"] === item["id"] && isUpdate(each))?.at ??
        0;
      if (
        !latest ||
        !isOnlyOne ||
        latest.startedAt < since + LATE_MS ||
        latest.startedAt < timeOf(item["createdAt"])
      )
        continue;
      if (!isCalm(outcome, latest.startedAt, latest.startedAt + WRITTEN_MS)) continue;
      const others = outcome.posts.filter(
        (post) =>
          post.address === item["url"] && post !== latest && post.startedAt + WRITTEN_MS > latest.startedAt,
      );
      if (others.length > 0) continue;
      if (isTaken(latest) && item["failingSince"] !== undefined)
        yield `${item["id"]} fails since ${item["failingSince"]}, although its last attempt succeeded`;
      if (isTaken(latest) && !(timeOf(item["lastSuccessAt"]) + 75 * MINUTE + CLOCKS_MS >= latest.startedAt))
        yield `${item["id"]} has the last success ${item["lastSuccessAt"]}, but took a delivery at ${new Date(latest.startedAt).toISOString()}`;
      const isBusy = latest.retryAfter !== undefined || latest.statusCode === 410;
      const isSample = JSON.parse(latest.body).sample === true;
      if (!isTaken(latest) && !isBusy && !isSample && item["failingSince"] === undefined)
        yield `${item["id"]} does not fail, although its last attempt failed`;
    }
  },
};

function sharesUrl({ url }: Post, item: Item): boolean {
  return url === String(item["url"]).split("?")[0];
}
