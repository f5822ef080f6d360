import * as z from "zod/mini";
import { ErrorEnvelope } from "#contract/error-envelope";
import { EventPage } from "#contract/event-feed";
import { EventReason, Reason } from "#contract/reason";
import { candidateObjectSchemas, recordObjectSchemas } from "./candidate-object-schemas.ts";
import { candidateSchemas } from "./candidate-schemas.ts";
import { type Described, described } from "./described.ts";
import { eventComponents } from "./events.ts";
import { webhookEndpointSchemas } from "./webhook-endpoint-schemas.ts";

const REASON =
  "Why intake rejected a candidate. The platform must not put personal data into either member, but nothing checks this: handle both like personal data.";
const REASON_MEMBERS = { code: "A code for programs.", message: "A sentence for people." };

/** The named schemas of the description, in order. */
export const schemas: Readonly<Record<string, Described>> = {
  ...candidateSchemas,
  ...candidateObjectSchemas,
  ...recordObjectSchemas,
  ...webhookEndpointSchemas,
  EventPage: described(EventPage, "A page of the event feed.", {
    data: "Events in the order of their publication; may be empty even if `hasMore` is true.",
    nextCursor: "The `cursor` of the next page. Always present: poll with it.",
    hasMore: "Whether there is more to read now.",
  }),
  ...eventComponents,
  Reason: described(Reason, `${REASON} Members that are not listed here are refused.`, REASON_MEMBERS),
  EventReason: described(EventReason, REASON, REASON_MEMBERS),
  // Not `Error`, which is a class of most languages: generators rename it, or hide the class.
  ErrorEnvelope: described(ErrorEnvelope, "A refusal or fault, with exactly these two members.", {
    error: "The error code, for programs.",
    message:
      "A sentence for people. For `invalid_request` it lists the problems as `<path>: <what is expected>`, " +
      "joined by `; `: the first 20, and how many more there are. It never contains a value that was sent.",
  }),
};

// zod-openapi creates a component for each schema that has an id in Zod's own registry.
for (const [id, { schema }] of Object.entries(schemas)) z.globalRegistry.add(schema, { id });
