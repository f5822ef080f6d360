import { isDeepStrictEqual } from "node:util";
import { MINUTE } from "#runtime/durations";
import type { Post } from "../history.ts";
import type { StoryOutcome } from "../outcome.ts";
import { type Changed, changesOf, computedOnce, type Item } from "./evidence.ts";
import { WRITTEN_MS } from "./times.ts";

// What an endpoint's item says, compared with what was asked of the service and with what the receiver responded.

/** An existing endpoint that a write has changed. */
export interface ChangedEndpoint extends Changed {
  readonly before: Item;
  readonly after: Item;
  /** Its id, and when. */
  readonly name: string;
}

/** The writes of endpoints, their registrations and deletions included. */
export const writtenEndpoints = computedOnce((outcome: StoryOutcome): readonly Changed[] =>
  changesOf(outcome, ({ pk, sk }) => pk.startsWith("ENDPOINTS#") && sk.startsWith("ENDPOINT#")),
);

export const changedEndpoints = computedOnce((outcome: StoryOutcome): readonly ChangedEndpoint[] =>
  writtenEndpoints(outcome).flatMap(({ before, after, ...written }) => {
    if (!before || !after) return [];
    return [{ ...written, before, after, name: `${after["id"]} at ${new Date(written.at).toISOString()}` }];
  }),
);

export function hasChanged({ before, after }: ChangedEndpoint, name: string): boolean {
  return !isDeepStrictEqual(before[name], after[name]);
}

/** The attempts at an address that may have ended just before a moment. */
export function attemptsBefore({ posts }: StoryOutcome, address: unknown, moment: number): Post[] {
  return posts.filter(
    (post) => post.address === address && post.startedAt <= moment && post.startedAt + WRITTEN_MS >= moment,
  );
}

/** The same at this address, or at another one that the endpoint may have had. */
export function postsBefore({ posts }: StoryOutcome, address: unknown, moment: number): Post[] {
  const [url] = String(address).split("?");
  return posts.filter(
    (post) => post.url === url && post.startedAt <= moment && post.startedAt + WRITTEN_MS >= moment,
  );
}

/** Whether a write is the service's, which sets a failing endpoint inactive. */
export function isStoppedByService({ before, after }: ChangedEndpoint): boolean {
  const isStopped = before["active"] === true && after["active"] === false;
  return isStopped && ["failing", "gone"].includes(String(after["disabledReason"]));
}

/** Whether a write is an organisation's change of its endpoint. Two may have the same millisecond. */
export function isUpdate(changed: ChangedEndpoint): boolean {
  const isSwitched = hasChanged(changed, "active") && !isStoppedByService(changed);
  return isSwitched || ["updatedAt", "url", "eventTypes"].some((name) => hasChanged(changed, name));
}

/** The next state of an endpoint that meets a condition, within a minute of a change. */
export function follows(
  changes: readonly ChangedEndpoint[],
  { at, sk }: ChangedEndpoint,
  meets: (changed: ChangedEndpoint) => boolean,
): boolean {
  return changes.some(
    (later) => later.sk === sk && later.at >= at && later.at <= at + MINUTE && meets(later),
  );
}
