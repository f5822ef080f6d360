import { isDeepStrictEqual } from "node:util";
import { DAY, HOUR, MINUTE, SECOND } from "#runtime/durations";
import type { StoryOutcome } from "../outcome.ts";
import {
  type Changed,
  changesOf,
  endpointEventsOf,
  eventsOf,
  type Item,
  isCalm,
  recordsOf,
} from "./evidence.ts";
import type { Invariant } from "./invariant.ts";
import { CLOCKS_MS, timeOf, WRITTEN_MS } from "./times.ts";

/** An event is in the feed within a few seconds, in ms; clocks are up to a second apart. */
const PUBLISHED_MS = 10 * SECOND;
/**
 * A delivery that is attempted within fifteen minutes is not sent again, less what clocks and faults may take, in ms.
 */
const ABOUT_TO_MS = 10 * MINUTE;
/** A recovery of what was missed begins a minute earlier, in ms. */
const BEGINS_BEFORE_MS = MINUTE;

function recoveryChanges(outcome: StoryOutcome): Changed[] {
  return changesOf(outcome, ({ sk }) => sk.startsWith("RECOVERY#"));
}

/** A write of a recovery that had begun. */
interface Progress {
  readonly before: Item;
  readonly after: Item;
  readonly at: number;
  /** Its sort key, and when. */
  readonly name: string;
}

/** What a recovery never changes. */
const CONSTANT = [
  "id",
  "orgId",
  "endpointId",
  "since",
  "until",
  "eventTypes",
  "startedAt",
  "missedSince",
  "deleteAfter",
];
/** What only grows while it runs. */
const GROWING = ["found", "sent", "receives"];

export const recoveriesProceed: Invariant = {
  sentence:
    "A recovery moves forward through the feed until it ends, once, and its period and types stay as they were.",
  *violations(outcome) {
    for (const { at, sk, before, after } of recoveryChanges(outcome)) {
      const name = `${sk} at ${new Date(at).toISOString()}`;
      if (after) yield* problemsOfState(after, name);
      if (before && after) yield* problemsOfProgress({ before, after, at, name });
    }
  },
};

/** A recovery runs until it ends, for a reason if it fails, and is kept for 30 days. */
function* problemsOfState(after: Item, name: string): Generator<string> {
  const { status, startedAt, endedAt, reason, until, found, sent, deleteAfter } = after;
  if ((status === "running") !== (endedAt === undefined))
    yield `${name} is ${status}, and ended at ${endedAt}`;
  if ((status === "failed") !== (reason !== undefined)) yield `${name} is ${status} because of ${reason}`;
  if (Number(sent) > Number(found)) yield `${name} sent more than it found`;
  if (timeOf(until) > timeOf(startedAt)) yield `${name} lasts until ${until}`;
  if (Math.abs(Number(deleteAfter) * SECOND - timeOf(startedAt) - 30 * DAY) > SECOND)
    yield `${name} is kept for another time`;
}

/** While it runs, a recovery only moves forward; once it has ended, nothing of it changes. */
function* problemsOfProgress({ before, after, at, name }: Progress): Generator<string> {
  for (const each of CONSTANT)
    if (!isDeepStrictEqual(before[each], after[each])) yield `${name} has another ${each}`;
  for (const each of GROWING)
    if (Number(after[each]) < Number(before[each])) yield `${name} has less ${each}`;
  if (before["status"] !== "running") yield `${name} changes after its end`;
  if (String(after["position"]) < String(before["position"])) yield `${name} goes back in the feed`;
  if (timeOf(after["pacedUntil"]) < timeOf(before["pacedUntil"])) yield `${name} is due earlier`;
  if (Math.abs(timeOf(after["progressAt"]) - at) > WRITTEN_MS)
    yield `${name} has progressed at ${after["progressAt"]}`;
}

export const oneRecoveryAtATime: Invariant = {
  sentence:
    "No recovery begins while another one of the endpoint is running, and without faults each one ends.",
  *violations(outcome) {
    const running = new Map<string, Item>();
    for (const { at, pk, sk, before, after } of recoveryChanges(outcome)) {
      const other = running.get(pk);
      const isAbandoned = at - timeOf(other?.["progressAt"]) > HOUR - WRITTEN_MS;
      if (!before && after?.["status"] === "running" && other && !isAbandoned)
        yield `${sk} begins while ${other["id"]} is running`;
      if (after?.["status"] === "running") running.set(pk, after);
      else if (other?.["id"] === (after ?? before)?.["id"]) running.delete(pk);
    }
    for (const { id, startedAt } of running.values()) {
      if (isCalm(outcome, timeOf(startedAt), outcome.endedAt)) yield `${id} never ends`;
    }
  },
};

/**
 * Whether a delivery had one of some statuses before and during a recovery, with its next attempt within ten minutes.
 */
function isAtRest(
  { writes }: StoryOutcome,
  recovery: Item,
  eventId: string,
  statuses: readonly string[],
): boolean {
  const { endpointId, startedAt, endedAt, progressAt } = recovery;
  const from = timeOf(startedAt) - CLOCKS_MS;
  const until = timeOf(endedAt ?? progressAt) + CLOCKS_MS;
  const states = writes.filter(
    ({ sk, item }) => sk === `DELIVERY#${eventId}` && item?.["endpointId"] === endpointId,
  );
  const first = states.findLastIndex(({ at }) => at < from);
  if (first < 0) return false;
  return states.slice(first).every(({ at, item }) => {
    if (at > until) return true;
    const next = item?.["nextAttemptAt"] === undefined ? from : timeOf(item["nextAttemptAt"]);
    const isSoon = next <= from + ABOUT_TO_MS && next >= until - ABOUT_TO_MS;
    return statuses.includes(String(item?.["status"])) && isSoon;
  });
}

export const recoveriesFindTheirEvents: Invariant = {
  sentence:
    "A recovery finds only events of its period and types that are not acknowledged, and sends none that is about to be attempted.",
  *violations(outcome) {
    // The feed has an event again that is published again, and a recovery recognises only the latest that it found.
    const isPublishedAgain = outcome.faults.some(
      ({ kind, where }) => kind === "handed over twice" || where.includes("publish-events"),
    );
    if (isPublishedAgain) return;
    for (const recovery of outcome.items) {
      if (!String(recovery["sk"]).startsWith("RECOVERY#")) continue;
      const { orgId, endpointId, since, until, found, eventTypes } = recovery;
      const ofCandidates = [...recordsOf(outcome).keys()]
        .filter((key) => key.startsWith(`CANDIDATE#${orgId}#`))
        .flatMap((key) => eventsOf(outcome, key));
      const ofEndpoints = endpointEventsOf(outcome).filter(
        (event) => event.orgId === orgId && event.endpointId !== endpointId,
      );
      // The feed may have an event that was published before the period, but not one that occurred after it. The
      // write of an event may be later than it says.
      const inPeriod = [...ofCandidates, ...ofEndpoints].filter(
        ({ at, type, item }) =>
          (eventTypes as readonly string[]).includes(type) &&
          timeOf((item["event"] as Item)["occurredAt"]) <= timeOf(until) + CLOCKS_MS &&
          (at >= timeOf(since) - PUBLISHED_MS || !isCalm(outcome, at, timeOf(since))),
      );
      const missed = inPeriod.filter(({ id }) => !isAtRest(outcome, recovery, id, ["delivered"]));
      if (Number(found) > missed.length)
        yield `${recovery["id"]} found ${found} events, but ${missed.length} were not acknowledged`;
      const sendable = missed.filter(({ id }) => !isAtRest(outcome, recovery, id, ["delivered", "pending"]));
      if (Number(recovery["sent"]) > sendable.length)
        yield `${recovery["id"]} sent ${recovery["sent"]} events, but only ${sendable.length} were not about to be attempted`;
      if (Number(found) > inPeriod.length)
        yield `${recovery["id"]} found ${found} events, but there are ${inPeriod.length}`;
    }
  },
};

export const recoveriesKnowWhatWasMissed: Invariant = {
  sentence: "A recovery that sends all that was missed ends the inactivity's consequences.",
  *violations(outcome) {
    for (const { at, pk, sk, before, after } of recoveryChanges(outcome)) {
      if (!after) continue;
      const { missedSince, since, orgId, endpointId, until, eventTypes } = after;
      const states = outcome.writes.filter(
        (write) => write.sk === `ENDPOINT#${endpointId}` && write.pk === `ENDPOINTS#${orgId}`,
      );
      if (!before && missedSince !== undefined) {
        const isOldest = timeOf(since) <= timeOf(after["startedAt"]) - 30 * DAY;
        if (timeOf(since) > timeOf(missedSince) - BEGINS_BEFORE_MS && !isOldest)
          yield `${sk} of ${pk} begins at ${since}, after what was missed since ${missedSince}`;
        const wasSo = states.some(
          ({ item }) =>
            item?.["missedSince"] === missedSince &&
            (item["eventTypes"] as string[]).every((type) => (eventTypes as string[]).includes(type)),
        );
        if (!wasSo) yield `${sk} of ${pk} sends what was missed since ${missedSince}, when nothing was`;
      }
      if (missedSince === undefined || after["status"] !== "completed") continue;
      const last = states.findLast((write) => write.at < at)?.item;
      const isUnchanged =
        last?.["active"] === true &&
        last["missedSince"] === missedSince &&
        timeOf(last["updatedAt"]) <= timeOf(until);
      const isForgotten = states.some(
        (write) => write.at === at && write.item?.["missedSince"] === undefined,
      );
      if (isUnchanged && !isForgotten && isCalm(outcome, at - WRITTEN_MS, at))
        yield `${sk} of ${pk} is complete, but ${endpointId} remembers what it has missed`;
    }
  },
};
