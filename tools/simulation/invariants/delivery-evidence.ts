import { SECOND } from "#runtime/durations";
import type { Post } from "../history.ts";
import type { StoryOutcome } from "../outcome.ts";
import { eventsOf, type Fired, madeOf, recordsOf } from "./evidence.ts";

// What invariants of deliveries are judged by: the events, the endpoints, and what was posted to them.

/** A delivery that is under way ends within its function's timeout, in ms. */
export const UNDER_WAY_MS = 90 * SECOND;

export const eventIdOf = ({ headers }: Post) => headers["X-RR-Event-Id"] ?? "";
export const attemptOf = ({ headers }: Post) => Number(headers["X-RR-Delivery-Attempt"]);

export function allEvents(
  outcome: StoryOutcome,
): (Fired & { readonly orgId: string; readonly key: string })[] {
  return [...recordsOf(outcome).keys()].flatMap((key) =>
    eventsOf(outcome, key).map((event) => ({ ...event, key, orgId: key.split("#")[1] ?? "" })),
  );
}

export interface Endpoint {
  readonly id: string;
  readonly subscriber: number;
  readonly url: string;
  readonly orgId: string;
  /** To which it has been subscribed all the time. */
  readonly eventTypes: readonly string[];
  /** From when on it is registered for certain. */
  readonly since: number;
}

/** The endpoints whose registration was acknowledged. */
export function endpointsOf(outcome: StoryOutcome): Endpoint[] {
  return madeOf(outcome, "register").flatMap(({ operation, completed }) => {
    const { url = "", orgId = "" } = outcome.story.subscribers[operation.subscriber] ?? {};
    if (completed?.response.status !== 201) return [];
    const { id, eventTypes: registered } = completed.response.body as {
      id: string;
      eventTypes: readonly string[];
    };
    const changes = madeOf(outcome, "update").filter(
      (update) => update.operation.subscriber === operation.subscriber,
    );
    const eventTypes = registered.filter((type) =>
      changes.every(({ operation: { eventTypes: others = registered } }) =>
        (others as readonly string[]).includes(type),
      ),
    );
    return [{ id, subscriber: operation.subscriber, url, orgId, eventTypes, since: completed.endedAt }];
  });
}

export function messagesIn(outcome: StoryOutcome, queue: string): string[] {
  return [...outcome.messages].flatMap(([name, bodies]) => (name.includes(queue) ? bodies : []));
}

/** Whether a fault may have kept a delivering function from writing to the table. */
export function isDeliveringDisturbed(outcome: StoryOutcome): boolean {
  return outcome.faults.some(
    ({ where }) => /deliver-webhook|deliver-aside|retry-webhook/.test(where) || where === "dynamodb",
  );
}

/** Whether an endpoint was inactive at some moment of a period. */
export function wasInactive(
  { writes }: StoryOutcome,
  endpointId: string,
  from: number,
  until: number,
): boolean {
  const ofEndpoint = writes.filter(({ sk, at }) => sk === `ENDPOINT#${endpointId}` && at <= until);
  const before = ofEndpoint.findLast(({ at }) => at < from);
  const during = ofEndpoint.filter(({ at }) => at >= from);
  return [before, ...during].some((write) => write?.item?.["active"] === false);
}

/** The same of any endpoint with an address. */
export function wasInactiveAt(outcome: StoryOutcome, url: string, from: number, until: number): boolean {
  return endpointsOf(outcome).some(
    (endpoint) => endpoint.url === url && wasInactive(outcome, endpoint.id, from, until),
  );
}
