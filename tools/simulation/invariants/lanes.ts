import { MINUTE, SECOND } from "#runtime/durations";
import { attemptOf, eventIdOf, isDeliveringDisturbed } from "./delivery-evidence.ts";
import { isTaken, registrationsOf } from "./evidence.ts";
import type { Invariant } from "./invariant.ts";
import { CLOCKS_MS } from "./times.ts";

/**
 * From the start of an attempt that is cut short until its endpoint is known to be slow or on probation everywhere, in
 * ms.
 */
const BEING_MARKED_MS = 15 * SECOND;

export const cutOnce: Invariant = {
  sentence: "Only one of the first two attempts of a delivery is cut, and only once.",
  *violations(outcome) {
    const cut = outcome.posts.filter(({ isCut }) => isCut);
    for (const posts of Map.groupBy(cut, (post) => `${post.url} ${eventIdOf(post)}`).values()) {
      const [first] = posts;
      if (!first) continue;
      const name = `${eventIdOf(first)} at ${first.url}`;
      if (posts.some((post) => attemptOf(post) > 2)) yield `${name} has a cut attempt after the second`;
      const endpoints = registrationsOf(outcome, first.subscriber).flatMap(({ calls }) => calls).length;
      if (posts.length > endpoints + 2 * endpoints * outcome.disturbances)
        yield `${name} has an attempt that is cut ${posts.length} times`;
    }
  },
};

export const slowDoNotHoldUpOthers: Invariant = {
  sentence:
    "After an attempt from the delivery queue was cut, its endpoint gets nothing from there for ten minutes; after one from the side queue, from neither.",
  *violations(outcome) {
    if (isDeliveringDisturbed(outcome)) return;
    for (const [subscriber, { url }] of outcome.story.subscribers.entries()) {
      const registrations = registrationsOf(outcome, subscriber).flatMap(({ calls }) => calls);
      if (registrations.length !== 1) continue;
      const posts = outcome.posts.filter((post) => post.url === url && post.lane !== "retry");
      for (const { startedAt, lane } of posts.filter(({ isCut }) => isCut)) {
        const later = posts.find(
          (post) =>
            (lane === "side" || post.lane === "delivery") &&
            post.startedAt > startedAt + BEING_MARKED_MS &&
            post.startedAt < startedAt + 10 * MINUTE - CLOCKS_MS,
        );
        if (later)
          yield `${url} gets ${eventIdOf(later)} from the ${later.lane} queue ${later.startedAt - startedAt} ms after its attempt from the ${lane} queue was cut`;
      }
    }
  },
};

export const newOnesStayAside: Invariant = {
  sentence: "An address gets nothing from the delivery queue until it has acknowledged a delivery.",
  *violations({ posts }) {
    const acknowledged = new Set<string>();
    for (const post of posts) {
      const { address, lane, startedAt } = post;
      if (lane === "delivery" && !acknowledged.has(address))
        yield `${address} gets ${eventIdOf(post)} from the delivery queue at ${new Date(startedAt).toISOString()}`;
      if (isTaken(post)) acknowledged.add(address);
    }
  },
};

export const samplesStayAside: Invariant = {
  sentence:
    "No sample or retry is attempted from the delivery queue, and no retry but the first from the side queue.",
  *violations(outcome) {
    for (const post of outcome.posts) {
      if (post.lane === "retry") continue;
      if (attemptOf(post) > (post.lane === "side" ? 2 : 1))
        yield `attempt ${attemptOf(post)} of ${eventIdOf(post)} comes from the ${post.lane} queue`;
      if (post.lane === "delivery" && JSON.parse(post.body).sample)
        yield `the sample ${eventIdOf(post)} comes from the delivery queue`;
    }
  },
};
