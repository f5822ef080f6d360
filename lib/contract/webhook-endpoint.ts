import * as z from "zod/mini";
import { DisabledReason, EVENT_TYPES, EventType } from "#contract/events";
import { isUri, URI_LENGTH } from "#contract/uri";
import { boolean, expecting, nullableText, object, oneOf } from "#contract/values";

/** The most webhook endpoints that an organisation may register. */
export const ENDPOINTS_PER_ORGANISATION = 50;

/** The most entries of a list of event types, repeated ones included. */
const EVENT_TYPE_ENTRIES = 100;

/** How long deliveries are also signed with a replaced secret, in a second header, in ms: 24 hours. */
export const PREVIOUS_SECRET_PERIOD_MS = 24 * 60 * 60 * 1000;

const urlExpected = expecting(
  `an absolute https URL in ASCII, without user name and password, of at most ${URI_LENGTH} characters,`,
);

/** An https URL, or http for the local stack, with a host and no user info. Part of the OpenAPI description. */
const WEB_URL = /^[Hh][Tt][Tt][Pp][Ss]?:\/\/[^/?#@]+(?:[/?#].*)?$/;

const eventTypesExpected = expecting(`an array of 1 to ${EVENT_TYPE_ENTRIES} event types`);

/** The query of `POST /v1/webhook-endpoints/{id}/test` (an extension); other parameters are ignored. */
export const SampleQuery = z.object({
  /** The type of the sample; by default the endpoint's first. */
  eventType: z.optional(oneOf(EVENT_TYPES)),
});

/**
 * The body that registers a webhook endpoint (contract, "POST /v1/webhook-endpoints").
 * `#webhooks/endpoints/deliverable-url` checks whether deliveries may connect to the address in `url`.
 */
export const WebhookEndpointRegistration = object({
  url: z
    .stringFormat("uri", isUri, { error: urlExpected })
    .check(z.regex(WEB_URL, { error: urlExpected }), z.maxLength(URI_LENGTH, { error: urlExpected })),
  /** Duplicates are removed. */
  eventTypes: z.pipe(
    z
      .array(oneOf(EVENT_TYPES), { error: eventTypesExpected })
      .check(
        z.minLength(1, { error: eventTypesExpected }),
        z.maxLength(EVENT_TYPE_ENTRIES, { error: eventTypesExpected }),
      ),
    z.transform((eventTypes) => [...new Set(eventTypes)]),
  ),
  description: z.optional(nullableText(500)),
});
export type WebhookEndpointRegistration = z.infer<typeof WebhookEndpointRegistration>;

/**
 * The body that changes an endpoint (an extension, "PATCH /v1/webhook-endpoints/{id}"). An omitted member is kept, a
 * present one replaces the whole member, and a null `description` clears it.
 */
export const WebhookEndpointUpdate = z.extend(z.partial(WebhookEndpointRegistration), {
  /** False stops deliveries. True resumes them, even if the service itself set the endpoint inactive. */
  active: z.optional(boolean()),
});
export type WebhookEndpointUpdate = z.infer<typeof WebhookEndpointUpdate>;

/** Why an endpoint is inactive: a reason of the service, or because the organisation requested it. */
const InactiveReason = z.enum([...DisabledReason.options, "by_request"]);

/**
 * A registered endpoint as integrators see it. A secret is returned only once, in the response to the create or
 * rotation that made it. The last four members are an extension.
 */
export const WebhookEndpoint = z.object({
  id: z.string(),
  url: z.string(),
  eventTypes: z.array(EventType),
  active: z.boolean(),
  createdAt: z.string(),
  description: z.nullable(z.string()),
  /** When the current series of failed attempts began; absent while attempts succeed. */
  failingSince: z.optional(z.string()),
  /** When, and why, the endpoint was set inactive; absent while it is active. */
  disabledAt: z.optional(z.string()),
  disabledReason: z.optional(InactiveReason),
  /** When an attempt last succeeded, at most 75 minutes too early; absent if none has. */
  lastSuccessAt: z.optional(z.string()),
});
export type WebhookEndpoint = z.infer<typeof WebhookEndpoint>;

/** The response to `GET /v1/webhook-endpoints`: all endpoints of the organisation, oldest first. */
export const WebhookEndpointList = z.object({ data: z.array(WebhookEndpoint) });

/** The response to a registration. Contains the signing secret, which is returned once. */
export const CreatedWebhookEndpoint = z.extend(WebhookEndpoint, { signingSecret: z.string() });
export type CreatedWebhookEndpoint = z.infer<typeof CreatedWebhookEndpoint>;

/** The response to a rotation of the signing secret (an extension). Contains the new secret, which is returned once. */
export const RotatedWebhookEndpoint = z.extend(CreatedWebhookEndpoint, {
  /** Until then deliveries are also signed with the previous secret, in `X-RR-Signature-Previous`. */
  previousSecretExpiresAt: z.string(),
});
export type RotatedWebhookEndpoint = z.infer<typeof RotatedWebhookEndpoint>;
