import { isDeepStrictEqual } from "node:util";
import { DAY, HOUR } from "#runtime/durations";
import { signatureOf, standardSignatureOf } from "#webhooks/endpoints/signature";
import type { Post } from "../history.ts";
import type { StoryOutcome } from "../outcome.ts";
import { changedEndpoints, hasChanged } from "./changed-endpoints.ts";
import { eventIdOf, UNDER_WAY_MS } from "./delivery-evidence.ts";
import { isDone, LATE_MS, madeOf, registrationsOf } from "./evidence.ts";
import type { Invariant } from "./invariant.ts";
import { CLOCKS_MS, timeOf, WRITTEN_MS } from "./times.ts";

export const signedBySecret: Invariant = {
  sentence: "Each delivery is signed with a secret of its endpoint.",
  *violations(outcome) {
    for (const [subscriber, { url }] of outcome.story.subscribers.entries()) {
      const issued = madeOf(outcome, "register", "rotateSecret").filter(
        ({ operation }) => operation.subscriber === subscriber,
      );
      const secrets = issued.flatMap(({ calls }) =>
        calls.flatMap(
          ({ response }) => (response?.body as { signingSecret?: string } | undefined)?.signingSecret ?? [],
        ),
      );
      // A secret whose response was lost is in use, and known to nobody; so is one whose endpoint was deleted at once.
      if (issued.some(({ isCertain, completed }) => !isCertain || completed?.response.status === 404))
        continue;
      for (const post of outcome.posts) {
        if (post.url !== url) continue;
        const current = secrets.find(
          (secret) => signatureOf(post.body, secret) === post.headers["X-RR-Signature"],
        );
        const previous = secrets.find(
          (secret) => signatureOf(post.body, secret) === post.headers["X-RR-Signature-Previous"],
        );
        const eventId = eventIdOf(post);
        if (!current) yield `${eventId} is posted to ${url} with a signature of another secret`;
        const timestamp = Number(post.headers["webhook-timestamp"]);
        const expected = [current, previous]
          .flatMap((secret) => standardSignatureOf({ eventId, timestamp, body: post.body }, secret ?? ""))
          .slice(0, previous ? 2 : 1);
        if (current && post.headers["webhook-signature"] !== expected.join(" "))
          yield `${eventId} is posted to ${url} with a webhook-signature that does not match its secrets`;
      }
    }
  },
};

/** Whether a post is certainly of an endpoint as it was after a moment. */
function isAfter({ body, startedAt }: Post, moment: number): boolean {
  const { occurredAt } = JSON.parse(body);
  return Date.parse(occurredAt) > moment + CLOCKS_MS || startedAt > moment + UNDER_WAY_MS;
}

/** A rotation of the secret of an endpoint. */
interface Rotation {
  readonly previous: string;
  readonly secret: string;
  readonly startedAt: number;
  readonly endedAt: number;
  /** When the next rotation begins. */
  readonly until: number;
}

export const newSecretSigns: Invariant = {
  sentence:
    "After a rotation, deliveries are signed with the new secret, and for a day also with the previous one.",
  *violations(outcome) {
    for (const [subscriber, { url }] of outcome.story.subscribers.entries()) {
      const posts = outcome.posts.filter((post) => post.url === url);
      for (const { previous, secret, startedAt, endedAt, until } of settledRotations(outcome, subscriber)) {
        for (const post of posts) {
          if (post.startedAt > until || !isAfter(post, endedAt)) continue;
          if (signatureOf(post.body, secret) !== post.headers["X-RR-Signature"])
            yield `${eventIdOf(post)} is posted to ${url} without the signature of the new secret`;
          if (post.startedAt > startedAt + 24 * HOUR - UNDER_WAY_MS) continue;
          if (signatureOf(post.body, previous) !== post.headers["X-RR-Signature-Previous"])
            yield `${eventIdOf(post)} is posted to ${url} without the signature of the previous secret`;
        }
      }
    }
  },
};

/** The rotations of a subscriber's only endpoint, if each was acknowledged before the next one began. */
function settledRotations(outcome: StoryOutcome, subscriber: number): Rotation[] {
  const issued = madeOf(outcome, "register", "rotateSecret").filter(
    ({ operation }) => operation.subscriber === subscriber,
  );
  const isSettled = issued.every(
    (made, index) =>
      isDone(made) && made.calls.length === 1 && made.startedAt > (issued[index - 1]?.endedAt ?? 0),
  );
  const isRegisteredFirst = issued[0]?.operation.name === "register";
  if (!isRegisteredFirst || !isSettled || registrationsOf(outcome, subscriber).length > 1) return [];
  const secrets = issued.map(({ completed }) => secretIn(completed?.response.body));
  return issued.slice(1).map(({ startedAt, endedAt }, index) => ({
    previous: secrets[index] ?? "",
    secret: secrets[index + 1] ?? "",
    startedAt,
    endedAt,
    until: issued[index + 2]?.startedAt ?? Number.POSITIVE_INFINITY,
  }));
}

export const rotationsHold: Invariant = {
  sentence: "After two concurrent rotations of a secret, deliveries are signed with both new secrets.",
  *violations(outcome) {
    for (const [subscriber, { url }] of outcome.story.subscribers.entries()) {
      const rotations = madeOf(outcome, "rotateSecret").filter(
        ({ operation }) => operation.subscriber === subscriber,
      );
      const isSettled = rotations.every((made) => isDone(made) && made.calls.length === 1);
      const [first, second] = rotations;
      // A repeated call may have made an endpoint whose secret is not rotated.
      const registrations = registrationsOf(outcome, subscriber).flatMap(({ calls }) => calls);
      if (!first || !second || rotations.length > 2 || !isSettled || registrations.length !== 1) continue;
      if (second.startedAt > first.endedAt || second.calls.length > 1) continue;
      const endedAt = Math.max(first.endedAt, second.endedAt);
      const secrets = [first, second].map(({ completed }) => secretIn(completed?.response.body));
      for (const post of outcome.posts) {
        if (post.url !== url || !isAfter(post, endedAt)) continue;
        if (post.startedAt > second.startedAt + 24 * HOUR - UNDER_WAY_MS) continue;
        const expected = secrets.map((secret) => signatureOf(post.body, secret)).sort();
        const signatures = [post.headers["X-RR-Signature"], post.headers["X-RR-Signature-Previous"]];
        if (!isDeepStrictEqual(signatures.toSorted(), expected))
          yield `${eventIdOf(post)} is posted to ${url} without one of the two new secrets' signatures`;
      }
    }
  },
};

export const previousSecretEnds: Invariant = {
  sentence: "A day after a rotation, the previous secret no longer signs deliveries.",
  *violations(outcome) {
    for (const [subscriber, { url }] of outcome.story.subscribers.entries()) {
      const rotations = madeOf(outcome, "rotateSecret").filter(
        ({ operation }) => operation.subscriber === subscriber,
      );
      const until = Math.max(...rotations.map(({ endedAt }) => endedAt + LATE_MS)) + 24 * HOUR + UNDER_WAY_MS;
      for (const post of outcome.posts) {
        if (post.url !== url || post.startedAt < until) continue;
        if (post.headers["X-RR-Signature-Previous"] !== undefined)
          yield `${eventIdOf(post)} is posted to ${url} with the signature of an expired secret`;
      }
    }
  },
};

function secretIn(body: unknown): string {
  return (body as { signingSecret?: string } | undefined)?.signingSecret ?? "";
}

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
      const expiry = timeOf(after["previousSecretExpiresAt"]);
      const found = Number(after["sealingKeyId"]);
      // A previous secret that has expired is not resealed, and its key not needed.
      const isResealed = expiry <= at + CLOCKS_MS && found === keyOf(after["sealedSecret"]);
      if (found !== oldest && !isResealed) yield `${name} is found under ${found}, not ${oldest}`;
      if (!hasChanged(changed, "sealedSecret")) continue;
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
