import { MINUTE } from "#runtime/durations";
import { allEvents, eventIdOf, wasInactiveAt } from "./delivery-evidence.ts";
import { isCalm, LATE_MS, madeOf } from "./evidence.ts";
import type { Invariant } from "./invariant.ts";

export const resendsAreJudged: Invariant = {
  sentence:
    "A delivery can be resent until its candidate is erased, and that of the erasure also afterwards.",
  *violations(outcome) {
    const events = allEvents(outcome);
    for (const { step, eventId, response, startedAt, endedAt = startedAt } of outcome.calls) {
      const event = events.find(({ id }) => id === eventId);
      if (!event || !response) continue;
      // Once its tombstone is gone, a candidate's sequence begins anew.
      const later = events.filter(
        ({ key, sequence, at }) => key === event.key && sequence > event.sequence && at >= event.at,
      );
      const ends = event.type === "candidate.erased" ? "candidate.received" : "candidate.erased";
      const endedFor = later.find(({ type }) => type === ends)?.at ?? Number.POSITIVE_INFINITY;
      if (response.status < 300 && endedFor < startedAt)
        yield `step ${step.number} resent ${event.type} (${eventId}) of an erased life`;
      const { message = "" } = (response.body ?? {}) as { message?: string };
      if (response.status === 400 && message.includes("has not been erased") && endedFor > endedAt)
        yield `step ${step.number} could not resend ${event.type} (${eventId}): ${message}`;
    }
  },
};

export const askedForIsPosted: Invariant = {
  sentence: "Without a fault, what is resent and a sample are posted within a minute of the request.",
  *violations(outcome) {
    for (const { step, eventId, response, startedAt, endedAt = startedAt } of outcome.calls) {
      const { operation } = step;
      if (!response || response.status >= 300 || (operation.name !== "resend" && operation.name !== "test"))
        continue;
      const { subscriber } = operation;
      const isSettled = madeOf(
        outcome,
        "register",
        "update",
        "delete",
        "requestErasure",
        "advance",
        "createBatch",
        "create",
      )
        .filter((made) => made.endedAt + LATE_MS >= startedAt && made.startedAt <= endedAt + MINUTE)
        .every((made) => operation.name === "test" && !("subscriber" in made.operation));
      if (!isSettled || !isCalm(outcome, startedAt, endedAt + MINUTE)) continue;
      const { url } = outcome.story.subscribers[subscriber] ?? {};
      if (wasInactiveAt(outcome, url ?? "", startedAt, endedAt + MINUTE)) continue;
      const isPosted = outcome.posts.some(
        (post) =>
          post.url === url &&
          post.startedAt >= startedAt &&
          post.startedAt <= endedAt + MINUTE &&
          (eventId === undefined ? JSON.parse(post.body).sample === true : eventIdOf(post) === eventId),
      );
      if (!isPosted) yield `step ${step.number} asked for a ${operation.name} that was not posted to ${url}`;
    }
  },
};
