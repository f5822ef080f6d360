import * as z from "zod/mini";
import { EVENT_TYPES, EventType, FeedEvent } from "#contract/events";
import { CURSOR_EXPECTED, pageLimit } from "#contract/page";
import { moment } from "#contract/values";

/** The response to `GET /v1/events` (an extension). */
export const EventPage = z.object({
  /** In the order of their publication; may be empty even if `hasMore` is true. */
  data: z.array(FeedEvent),
  /** The `cursor` of the next page; always present, so that a reader can poll with it. */
  nextCursor: z.string(),
  /** Whether there is more to read now. */
  hasMore: z.boolean(),
});
export type EventPage = z.infer<typeof EventPage>;

/**
 * A `nextCursor`, decoded: the organisation that it belongs to, a position in its feed (an RFC 3339 date-time in UTC,
 * followed by an item's id if the position is an item's), and how many of the item's events were read.
 */
const DecodedCursor = z.tuple([
  z.string(),
  z.string().check(
    z.regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z(?:#[0-9a-f]{16}#\d\d)?$/),
    z.refine((position) => !Number.isNaN(Date.parse(position.replace(/#.*/, "")))),
  ),
  z.int().check(z.gte(0)),
]);
type DecodedCursor = z.infer<typeof DecodedCursor>;

const Cursor = z.pipe(
  z
    .string({ error: CURSOR_EXPECTED })
    .check(z.refine((cursor) => decoded(cursor) !== undefined, { error: CURSOR_EXPECTED })),
  z.transform((cursor) => decoded(cursor) as DecodedCursor),
);

const typesExpected = `event types, separated by commas, are expected: ${EVENT_TYPES.join(", ")}`;

/** The query of `GET /v1/events`; other parameters are ignored. */
export const EventsQuery = z
  .object({
    cursor: z.optional(Cursor),
    /** From when events are read if there is no cursor; the oldest that are kept by default. */
    since: z.optional(moment(" (its + encoded as %2B)")),
    /** The most events on a page. */
    limit: pageLimit(100),
    /** Event types, separated by commas; all by default. */
    types: z.optional(
      z.pipe(
        z
          .string({ error: typesExpected })
          .check(z.refine((types) => types.split(",").every(isEventType), { error: typesExpected })),
        z.transform((types) => types.split(",") as EventType[]),
      ),
    ),
  })
  .check(
    z.refine(({ cursor, since }) => cursor === undefined || since === undefined, {
      path: ["since"],
      error: "cannot be combined with a cursor",
    }),
  );

function isEventType(type: string): boolean {
  return EventType.safeParse(type).success;
}

/** The cursor of a position in an organisation's feed. */
export function encodedCursor(...cursor: DecodedCursor): string {
  return Buffer.from(JSON.stringify(cursor)).toString("base64url");
}

function decoded(cursor: string): DecodedCursor | undefined {
  try {
    return DecodedCursor.parse(JSON.parse(Buffer.from(cursor, "base64url").toString()));
  } catch {
    return undefined;
  }
}
