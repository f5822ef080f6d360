import { EVENT_TYPES } from "#contract/events";
import { eventPage } from "./event-examples.ts";
import type { WordsById } from "./operation-words.ts";

/** The description of the operation on the event feed. */
export const eventOperations = {
  listEvents: {
    tag: "Events",
    description:
      "Your organisation's events in the order of their publication, whether or not an endpoint was subscribed to " +
      "them: the events that webhooks deliver, kept for 30 days. Read with `nextCursor` until `hasMore` is false, then poll with " +
      "it: you receive every event at least once, usually within 2 s after it fired. Deduplicate by `id`. " +
      "Once a candidate is erased, `externalId` and `reasons` of its earlier events are null.",
    query: {
      cursor:
        "The `nextCursor` of the previous page. If events after it are no longer kept, the response is 400 " +
        "`events_expired`, whose message contains the time of the oldest events that are kept.",
      since:
        "Start with the events since this time (RFC 3339; encode the + of an offset as %2B). It cannot be combined with `cursor`. If events since then are " +
        "no longer kept, the response is 400 `events_expired`. By default, the feed starts with the oldest events that " +
        "are kept.",
      limit: {
        description:
          "The maximum number of events on a page. A page may have fewer, even if `hasMore` is true.",
        schema: { type: "integer", minimum: 1, maximum: 100, default: 100 },
      },
      types: {
        description:
          "Only events of these types, separated by commas, such as `candidate.received,candidate.erased`. Keep it the same while you follow a cursor.",
        schema: { type: "string", pattern: typesPattern() },
      },
    },
    success: {
      description: "A page of events.",
      examples: { page: { value: eventPage } },
    },
  },
} satisfies Partial<WordsById>;

/** One event type or more, separated by commas. */
function typesPattern(): string {
  const type = `(?:${EVENT_TYPES.map((name) => name.replace(".", "\\.")).join("|")})`;
  return `^${type}(?:,${type})*$`;
}
