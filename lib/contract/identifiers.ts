import { randomBytes } from "node:crypto";
import { base32crockford } from "@scure/base";
import { v7 } from "uuid";

/** A new event id: `evt_` and 26 characters of Crockford base 32 over a UUIDv7, so that ids sort by time. */
export function newEventId(): string {
  return timeOrderedId("evt");
}

/** A new webhook endpoint id, `whe_…`, built like an event id. */
export function newEndpointId(): string {
  return timeOrderedId("whe");
}

function timeOrderedId(prefix: string): string {
  // Left to itself, uuid would load Web Crypto, which nothing else here needs.
  const id = v7({ random: randomBytes(16) }, new Uint8Array(16));
  return `${prefix}_${base32crockford.encode(id).toLowerCase()}`;
}

const EVENT_ID = /^evt_[0-9a-hjkmnp-tv-z]{26}$/;

/** Whether a caller's `{eventId}` has the form of an event's. */
export function isEventId(id: string): boolean {
  return EVENT_ID.test(id);
}

const ENDPOINT_ID = /^whe_[0-9a-hjkmnp-tv-z]{26}$/;

/** Whether a caller's `{id}` has the form of a webhook endpoint's. */
export function isEndpointId(id: string): boolean {
  return ENDPOINT_ID.test(id);
}
