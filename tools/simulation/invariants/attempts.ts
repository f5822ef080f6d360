import { isDeepStrictEqual } from "node:util";
import { DAY, MINUTE, SECOND } from "#runtime/durations";
import type { Post } from "../history.ts";
import type { StoryOutcome } from "../outcome.ts";
import {
  type Changed,
  changesOf,
  type Item,
  isCalm,
  isTaken,
  madeOf,
  meetsOnlyFaultsOfCallers,
} from "./evidence.ts";
import type { Invariant } from "./invariant.ts";
import { CLOCKS_MS, JITTER, timeOf, WAITS, WRITTEN_MS } from "./times.ts";

// What the records of deliveries say, compared with what receivers saw, and where deliveries wait in between.

/** How long it takes to record an attempt if there are no faults, in ms. */
const PROMPT_MS = 3 * SECOND;
/** SQS delays no message for longer, in ms. */
const LONGEST_DELAY_MS = 15 * MINUTE;
/** How long before it is due a delivery is released from the table, in ms. */
const RELEASED_EARLY_MS = 2 * MINUTE;
/** A record is kept for 30 days. */
const KEPT_MS = 30 * DAY;

interface Attempt {
  readonly attempt: number;
  readonly at: string;
  readonly durationMs: number;
  readonly statusCode?: number;
}

function attemptsIn(item: Item | undefined): readonly Attempt[] {
  return (item?.["attempts"] ?? []) as readonly Attempt[];
}

function recordChanges(outcome: StoryOutcome): Changed[] {
  return changesOf(outcome, ({ sk }) => sk.startsWith("DELIVERY#"));
}

/** The posts that an attempt in a record may be. */
function postsOf(
  { posts }: StoryOutcome,
  eventId: unknown,
  { attempt, at, durationMs, statusCode }: Attempt,
): Post[] {
  return posts.filter(
    (post) =>
      post.headers["X-RR-Event-Id"] === eventId &&
      Number(post.headers["X-RR-Delivery-Attempt"]) === attempt &&
      post.durationMs === durationMs &&
      post.statusCode === statusCode &&
      Math.abs(post.startedAt - Date.parse(at)) <= WRITTEN_MS,
  );
}

export const recordsListAttempts: Invariant = {
  sentence:
    "The record of a delivery lists the attempts that its receiver saw, each once, and never loses one.",
  *violations(outcome) {
    for (const { at, sk, before, after } of recordChanges(outcome)) {
      if (!after) continue;
      const [former, attempts] = [attemptsIn(before), attemptsIn(after)];
      const added = attempts.slice(former.length);
      if (!isDeepStrictEqual(attempts.slice(0, former.length), former)) yield `${sk} loses an attempt`;
      if (added.length > 1) yield `${sk} gets ${added.length} attempts at once`;
      for (const attempt of added) {
        if (postsOf(outcome, after["eventId"], attempt).length === 0)
          yield `${sk} has the attempt ${JSON.stringify(attempt)}`;
        if (Math.abs(Date.parse(attempt.at) - at) > WRITTEN_MS + attempt.durationMs)
          yield `${sk} has an attempt at ${attempt.at}`;
      }
    }
    for (const post of outcome.posts) {
      const { startedAt, isCut, headers, statusCode } = post;
      if (isCut || !isCalm(outcome, startedAt, startedAt + WRITTEN_MS)) continue;
      const eventId = headers["X-RR-Event-Id"];
      const attempt = Number(headers["X-RR-Delivery-Attempt"]);
      const isRecorded = outcome.writes.some(
        ({ sk, item }) =>
          sk === `DELIVERY#${eventId}` &&
          attemptsIn(item).some((each) => each.attempt === attempt && each.statusCode === statusCode),
      );
      if (!isRecorded) yield `attempt ${attempt} of ${eventId} at ${post.url} is not recorded`;
    }
  },
};

/** A delivery's record that was written. */
interface WrittenRecord extends Changed {
  readonly after: Item;
  /** Its keys, and when. */
  readonly name: string;
}

export const recordsSayWhatIsNext: Invariant = {
  sentence:
    "A delivery's record is delivered once an attempt succeeded, and says when the next attempt is due, within the retry schedule.",
  *violations(outcome) {
    const isSentAgain = madeOf(outcome, "resend", "recover", "redrive").length > 0;
    for (const { after, ...change } of recordChanges(outcome)) {
      if (!after) continue;
      const name = `${change.sk} of ${change.pk} at ${new Date(change.at).toISOString()}`;
      const written = { ...change, after, name };
      yield* problemsOfIdentity(written);
      yield* problemsOfStatus(written, isSentAgain);
      yield* problemsOfExpiry(written);
      yield* problemsOfNextAttempt(outcome, written);
    }
  },
};

/** A record is of one event at one endpoint, and stays so. */
function* problemsOfIdentity({ pk, sk, before, after, name }: WrittenRecord): Generator<string> {
  const { sample, eventId, eventType, endpointId, orgId } = after;
  if (!pk.startsWith(`ENDPOINT#${endpointId}#`) || sk !== `DELIVERY#${eventId}`)
    yield `${name} is of ${endpointId} and ${eventId}`;
  const event = JSON.parse(String(after["event"]));
  if (event.id !== eventId || event.type !== eventType || event.sample !== sample)
    yield `${name} has the event ${event.id}`;
  if (before && (before["orgId"] !== orgId || before["event"] !== after["event"]))
    yield `${name} has another event`;
}

/**
 * A record is delivered once an attempt was acknowledged, and pending, with a next attempt, only before it has ended,
 * or if it may have been sent again.
 */
function* problemsOfStatus({ before, after, name }: WrittenRecord, isSentAgain: boolean): Generator<string> {
  const { status, nextAttemptAt, reason } = after;
  const isDelivered = attemptsIn(after).some(isTaken);
  if ((status === "delivered") !== isDelivered)
    yield `${name} is ${status}, but was ${isDelivered ? "" : "not "}acknowledged`;
  if ((status === "pending") !== (nextAttemptAt !== undefined))
    yield `${name} is ${status}, with the next attempt ${nextAttemptAt}`;
  if (reason !== undefined && status !== "dropped") yield `${name} is ${status} because of ${reason}`;
  const mayResume = before?.["status"] === "pending" || (isSentAgain && before?.["status"] !== "delivered");
  if (before && status === "pending" && !mayResume) yield `${name} is pending again`;
}

/** A record is kept for 30 days from the last change of what it says. */
function* problemsOfExpiry({ at, before, after, name }: WrittenRecord): Generator<string> {
  const changedNow =
    !before || ["status", "nextAttemptAt", "deleteAfter"].some((each) => before[each] !== after[each]);
  const keptFor = Number(after["deleteAfter"]) * SECOND - at;
  if (changedNow && Math.abs(keptFor - KEPT_MS) > WRITTEN_MS) yield `${name} is kept for ${keptFor} ms`;
}

/** After an attempt, the next one is due when the retry schedule says, or later if the receiver asked for that. */
function* problemsOfNextAttempt(
  outcome: StoryOutcome,
  { at, before, after, name }: WrittenRecord,
): Generator<string> {
  const { nextAttemptAt, eventId } = after;
  const attempts = attemptsIn(after);
  const last = attempts.length > attemptsIn(before).length ? attempts.at(-1) : undefined;
  if (!last || nextAttemptAt === undefined || before?.["nextAttemptAt"] === nextAttemptAt) return;
  const wait = WAITS[last.attempt - 1];
  if (wait === undefined) yield `${name} has another attempt after attempt ${last.attempt}`;
  const asked = postsOf(outcome, eventId, last).map(({ retryAfter = 0, statusCode }) =>
    statusCode === 503 ? Math.min(retryAfter, DAY) : 0,
  );
  const waits = timeOf(nextAttemptAt) - (Date.parse(last.at) + last.durationMs);
  const slack = isCalm(outcome, at - MINUTE, at) ? PROMPT_MS : WRITTEN_MS;
  const [least, most] = [-JITTER, JITTER].map((share) => (wait ?? 0) * (1 + share)) as [number, number];
  const isDue = asked.some(
    (after503) => waits >= Math.max(least, after503) - 1 && waits <= Math.max(most, after503) + slack,
  );
  if (!isDue) yield `${name} waits ${waits} ms after attempt ${last.attempt}`;
}

export const waitingIsForLongWaits: Invariant = {
  sentence:
    "A delivery waits in the table only if SQS cannot delay it so long, and until two minutes before it is due.",
  *violations(outcome) {
    for (const { at, pk, sk, before, after } of changesOf(outcome, (write) =>
      write.pk.startsWith("WAITING#"),
    )) {
      const [due = "", endpointId, eventId, attempt] = sk.split("#");
      const left = Date.parse(due) - at;
      if (after) {
        const message = JSON.parse(String(after["message"]));
        if (
          message.dueAt !== due ||
          message.endpointId !== endpointId ||
          message.eventId !== eventId ||
          String(message.attempt) !== attempt
        )
          yield `${sk} is not that of its message`;
        if (pk !== `WAITING#${Date.parse(due) % 10}`) yield `${sk} waits under ${pk}`;
        if (!before && left < LONGEST_DELAY_MS - WRITTEN_MS) yield `${sk} waits in the table for ${left} ms`;
        continue;
      }
      if (left > RELEASED_EARLY_MS + CLOCKS_MS) yield `${sk} is released ${left} ms before it is due`;
      if (left < -MINUTE && isCalm(outcome, Date.parse(due) - RELEASED_EARLY_MS, at))
        yield `${sk} is released ${-left} ms after it was due`;
    }
  },
};

export const onceWithoutFaults: Invariant = {
  sentence: "In a story without faults of AWS, each attempt is made once, and none after an acknowledgement.",
  *violations(outcome) {
    if (!meetsOnlyFaultsOfCallers(outcome)) return;
    // A recovery may send what is being attempted for the first time.
    if (madeOf(outcome, "resend", "recover", "redrive").length > 0) return;
    const registrations = Map.groupBy(madeOf(outcome, "register"), ({ operation }) => operation.subscriber);
    for (const [name, posts] of Map.groupBy(
      outcome.posts,
      ({ url, headers }) => `${url} ${headers["X-RR-Event-Id"]}`,
    )) {
      const endpoints =
        registrations.get(posts[0]?.subscriber ?? 0)?.flatMap(({ calls }) => calls).length ?? 0;
      if (endpoints !== 1) continue;
      const attempts = posts.filter(({ isCut }) => !isCut);
      const numbers = attempts.map(({ headers }) => headers["X-RR-Delivery-Attempt"]);
      if (new Set(numbers).size < numbers.length) yield `${name} has the attempts ${numbers.join()}`;
      const taken = attempts.findIndex(isTaken);
      if (taken >= 0 && taken < attempts.length - 1) yield `${name} is attempted after it was acknowledged`;
    }
  },
};

export const listsShowRecords: Invariant = {
  sentence: "The list of an endpoint's deliveries shows each record as it is stored, and nothing else of it.",
  *violations(outcome) {
    for (const { endpointId, deliveries } of outcome.feeds) {
      for (const delivery of deliveries) {
        const item = outcome.items.find(
          (each) => each["endpointId"] === endpointId && each["sk"] === `DELIVERY#${delivery["eventId"]}`,
        );
        if (!item) continue;
        const { eventId, eventType, status, nextAttemptAt, reason, sample } = item;
        const expected = {
          eventId,
          eventType,
          status,
          ...(nextAttemptAt !== undefined && { nextAttemptAt }),
          ...(reason !== undefined && { reason }),
          ...(sample !== undefined && { sample }),
          attempts: attemptsIn(item),
        };
        if (!isDeepStrictEqual(delivery, expected))
          yield `${endpointId} lists ${JSON.stringify(delivery).slice(0, 300)} instead of ${JSON.stringify(expected).slice(0, 300)}`;
      }
    }
  },
};
