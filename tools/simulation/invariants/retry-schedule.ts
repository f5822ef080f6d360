import { HOUR } from "#runtime/durations";
import type { Post } from "../history.ts";
import type { StoryOutcome } from "../outcome.ts";
import { attemptOf, eventIdOf, messagesIn, wasInactive, wasInactiveAt } from "./delivery-evidence.ts";
import { isTaken, madeOf, meetsOnlyFaultsOfCallers, registrationsOf } from "./evidence.ts";
import type { Invariant } from "./invariant.ts";
import { CLOCKS_MS, JITTER, WAITS } from "./times.ts";

const ATTEMPTS = WAITS.length + 1;

/** The attempts of an event at an address, without those that were cut. */
interface Series {
  /** The event and the address. */
  readonly name: string;
  readonly first: Post;
  readonly posts: readonly Post[];
  readonly isSample: boolean;
  /** How many endpoints the address may have. */
  readonly endpoints: number;
}

export const attemptsAreBounded: Invariant = {
  sentence: "An event has a limited number of attempts at an endpoint, and they follow the retry schedule.",
  *violations(outcome) {
    const again = madeOf(outcome, "resend", "recover", "redrive").flatMap(({ calls }) => calls).length;
    for (const series of seriesIn(outcome)) {
      yield* problemsOfNumber(outcome, series, again);
      // The attempts of several endpoints or runs have no single order.
      if (series.endpoints > 1 || again > 0) continue;
      const isUndisturbed = meetsOnlyFaultsOfCallers(outcome);
      if (isUndisturbed) yield* problemsOfRepetition(series);
      yield* problemsOfWaits(outcome, series);
      if (isUndisturbed && !series.isSample) yield* problemsAfterAcknowledgement(series);
    }
  },
};

function seriesIn(outcome: StoryOutcome): Series[] {
  const attempted = outcome.posts.filter(({ isCut }) => !isCut);
  const groups = Map.groupBy(attempted, (post) => `${post.url} ${eventIdOf(post)}`);
  return [...groups.values()].flatMap((posts) => {
    const [first] = posts;
    if (!first) return [];
    const name = `${eventIdOf(first)} at ${first.url}`;
    const isSample = JSON.parse(first.body).sample === true;
    const endpoints = registrationsOf(outcome, first.subscriber).flatMap(({ calls }) => calls).length;
    return [{ name, first, posts, isSample, endpoints }];
  });
}

/**
 * An endpoint gets at most eleven attempts, or one of a sample, for each time that the event may be sent, and two more
 * for each disturbance.
 */
function* problemsOfNumber(
  { disturbances }: StoryOutcome,
  { name, posts, isSample, endpoints }: Series,
  again: number,
): Generator<string> {
  const most = endpoints * (isSample ? 1 : ATTEMPTS) * (1 + again) + 2 * endpoints * disturbances;
  if (posts.length > most) yield `${name} is attempted ${posts.length} times`;
  for (const attempt of posts.map(attemptOf))
    if (!(attempt >= 1 && attempt <= ATTEMPTS)) yield `${name} has an attempt ${attempt}`;
}

/** Each attempt is made once. */
function* problemsOfRepetition({ name, posts }: Series): Generator<string> {
  if (new Set(posts.map(attemptOf)).size < posts.length) yield `${name} has an attempt that is made twice`;
}

/** Each attempt follows the one before it, after the wait of the retry schedule. */
function* problemsOfWaits(outcome: StoryOutcome, { name, first, posts }: Series): Generator<string> {
  const firedAt = Date.parse(JSON.parse(first.body).occurredAt) - CLOCKS_MS;
  const byAttempt = Map.groupBy(posts, attemptOf);
  for (const [attempt, [next]] of byAttempt) {
    const before = byAttempt.get(attempt - 1)?.[0];
    const isLeftOut = wasInactiveAt(outcome, first.url, firedAt, next?.startedAt ?? 0);
    if (attempt > 1 && !before && meetsOnlyFaultsOfCallers(outcome) && !isLeftOut)
      yield `${name} has no attempt ${attempt - 1}`;
    if (!before || !next) continue;
    const waited = next.startedAt - before.startedAt;
    const wait = (WAITS[attempt - 2] ?? 0) * (1 - JITTER);
    if (waited < wait - CLOCKS_MS) yield `${name} is attempted again after ${waited} ms`;
  }
}

/** An acknowledged attempt is the last one. */
function* problemsAfterAcknowledgement({ name, posts }: Series): Generator<string> {
  const firstTaken = posts.findIndex(isTaken);
  if (firstTaken >= 0 && firstTaken < posts.length - 1)
    yield `${name} is attempted after it was acknowledged`;
}

export const deadOnlyAtTheEnd: Invariant = {
  sentence: "A delivery is dead-lettered only after its last attempt.",
  *violations(outcome) {
    // Where faults go on for hours, those of the service's own end a delivery too.
    const { outage, faultsUntil, faults } = outcome.story;
    if (outage || faultsUntil > HOUR || faults.again) return;
    for (const letter of messagesIn(outcome, "DeadLetters").map((body) => JSON.parse(body))) {
      const posts = outcome.posts.filter((post) => eventIdOf(post) === letter.eventId);
      const attempts = new Set(posts.map(attemptOf));
      // While an endpoint is inactive, its attempts are left out.
      if (wasInactive(outcome, letter.endpointId, outcome.beginning, outcome.endedAt)) continue;
      if (attempts.size < ATTEMPTS) {
        yield `${letter.eventType} (${letter.eventId}) is a dead letter after ${attempts.size} attempts`;
      }
    }
  },
};
