import { HOUR } from "#runtime/durations";
import { attemptOf, eventIdOf, messagesIn, wasInactive, wasInactiveAt } from "./delivery-evidence.ts";
import { isTaken, madeOf, meetsOnlyFaultsOfCallers, registrationsOf } from "./evidence.ts";
import type { Invariant } from "./invariant.ts";
import { CLOCKS_MS, JITTER, WAITS } from "./times.ts";

const ATTEMPTS = WAITS.length + 1;

export const attemptsAreBounded: Invariant = {
  sentence: "An event has a limited number of attempts at an endpoint, and they follow the retry schedule.",
  *violations(outcome) {
    const again = madeOf(outcome, "resend", "recover", "redrive").flatMap(({ calls }) => calls).length;
    const isUndisturbed = meetsOnlyFaultsOfCallers(outcome) && again === 0;
    const attempted = outcome.posts.filter(({ isCut }) => !isCut);
    for (const posts of Map.groupBy(attempted, (post) => `${post.url} ${eventIdOf(post)}`).values()) {
      const [first] = posts;
      if (!first) continue;
      const name = `${eventIdOf(first)} at ${first.url}`;
      const endpoints = registrationsOf(outcome, first.subscriber).flatMap(({ calls }) => calls).length;
      const isSample = JSON.parse(first.body).sample === true;
      const most = endpoints * (isSample ? 1 : ATTEMPTS) * (1 + again) + 2 * endpoints * outcome.disturbances;
      if (posts.length > most) yield `${name} is attempted ${posts.length} times`;
      for (const post of posts) {
        if (!(attemptOf(post) >= 1 && attemptOf(post) <= ATTEMPTS))
          yield `${name} has an attempt ${attemptOf(post)}`;
      }
      if (endpoints > 1 || again > 0) continue;
      const firedAt = Date.parse(JSON.parse(first.body).occurredAt) - CLOCKS_MS;
      const byAttempt = Map.groupBy(posts, attemptOf);
      if (isUndisturbed && [...byAttempt.values()].some((same) => same.length > 1))
        yield `${name} has an attempt that is made twice`;
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
      if (isUndisturbed && !isSample) {
        const firstTaken = posts.findIndex(isTaken);
        if (firstTaken >= 0 && firstTaken < posts.length - 1)
          yield `${name} is attempted after it was acknowledged`;
      }
    }
  },
};

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
