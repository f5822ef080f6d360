import type { oas31, ZodOpenApiPathsObject } from "zod-openapi";
import { CONTRACT_VERSION, EVENT_TYPES, type EventType, isEndpointEventType } from "#contract/events";
import { event } from "./event-examples.ts";
import { eventSchemaOf, events } from "./events.ts";
import { extension, isExtensionEvent } from "./extension.ts";
import { json } from "./responses.ts";

/**
 * Not the tag of an operation: openapi-generator writes one file per tag, and the deliveries' file would replace the
 * operations'.
 */
export const WEBHOOKS_TAG = "Webhook events";

const SIGNATURE = "^sha256=[0-9a-f]{64}$";

/** The headers of every delivery. */
const deliveryHeaders: readonly oas31.ParameterObject[] = [
  header(
    "X-RR-Signature",
    "`sha256=` and the HMAC-SHA256, in hex, of the raw body, keyed with the signing secret as returned " +
      "(including `whsec_`). Compute it over the received bytes and compare in constant time before you trust the event.",
    { pattern: SIGNATURE },
  ),
  {
    ...header(
      "X-RR-Signature-Previous",
      "Only in the 24 hours after a rotation of the secret: like `X-RR-Signature`, keyed with the previous secret.",
      { pattern: SIGNATURE },
    ),
    required: false,
    "x-extension": true,
  },
  header(
    "X-RR-Event-Id",
    "The event's id, the same for every attempt and every endpoint. Deduplicate by it.",
    {
      pattern: "^evt_",
    },
  ),
  header("X-RR-Event-Type", "The type of the event.", { examples: [...EVENT_TYPES] }),
  header("X-RR-Delivery-Attempt", "The number of the attempt, from 1.", { pattern: "^[1-9]\\d*$" }),
  standard("webhook-id", "The event's id, as `X-RR-Event-Id`.", { pattern: "^evt_" }),
  standard(
    "webhook-timestamp",
    "When the attempt was made, in seconds since 1970. Refuse a delivery that is more than five minutes old.",
    { pattern: "^\\d+$" },
  ),
  standard(
    "webhook-signature",
    "`v1,` and the HMAC-SHA256, in base64, of `<webhook-id>.<webhook-timestamp>.<raw body>`, keyed with the bytes that " +
      "follow `whsec_` in base64 (standardwebhooks.com). In the 24 hours after the secret was rotated a second " +
      "signature follows, separated by a space.",
    { pattern: "^v1,[A-Za-z0-9+/]{43}=( v1,[A-Za-z0-9+/]{43}=)?$" },
  ),
  header("User-Agent", "The service and its version.", {
    examples: [`CandidateManagementService/${CONTRACT_VERSION} (webhooks)`],
  }),
];

/** A header of Standard Webhooks, beside those of the contract. */
function standard(name: string, description: string, schema: oas31.SchemaObject): oas31.ParameterObject {
  return { ...header(name, description, schema), "x-extension": true };
}

function header(name: string, description: string, schema: oas31.SchemaObject): oas31.ParameterObject {
  return { name, in: "header", required: true, description, schema: { type: "string", ...schema } };
}

const responses = {
  "2XX": {
    description:
      "Any 2xx within 10 seconds, of which 3 to connect, acknowledges the delivery. The body is ignored. A request " +
      "without a response after 2 seconds may be sent again, with the same attempt number, and then has 10 seconds.",
  },
  "410": {
    description:
      "The endpoint is gone. The attempts of this delivery end, and the endpoint is set inactive, except in response to " +
      "a sample.",
  },
  "429": {
    description:
      "Too many requests. The next attempt waits for at least `Retry-After`, but at most 24 hours.",
  },
  "503": { description: "Unavailable. Handled like 429." },
  default: {
    description:
      "Any other response is a failure, including redirects. Retried after 5 s, 1 min, 5 min, 30 min, 2 h, 5 h, 10 h, " +
      "14 h, 20 h and 24 h (each ±20 %), with the same id and byte for byte the same body.",
  },
};

/** The deliveries that subscribers receive, by event type. */
export const webhooks: ZodOpenApiPathsObject = Object.fromEntries(
  EVENT_TYPES.map((type) => [type, { post: delivery(type) }]),
);

/** What an event contains of a candidate. */
function contents(type: EventType): string {
  if (isEndpointEventType(type)) return "It contains nothing about candidates.";
  if (type === "candidate.erased") return "It contains no personal data.";
  const reasons = type === "candidate.validation_failed" ? ", the reasons" : "";
  return `Of the candidate it contains handles, your \`externalId\`${reasons}, statuses and times, and nothing else.`;
}

function delivery(type: EventType) {
  const { name, meaning } = events[type];
  return {
    operationId: `on${name}`,
    tags: [WEBHOOKS_TAG],
    summary: type,
    description: `${meaning} Delivered at least once, in no guaranteed order.`,
    security: [],
    parameters: [...deliveryHeaders],
    requestBody: {
      required: true,
      description: `The event. ${contents(type)}`,
      content: json(eventSchemaOf(type), { event: { value: event(type) } }),
    },
    responses,
    ...(isExtensionEvent(type) && extension),
  };
}
