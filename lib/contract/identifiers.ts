import { base32crockford } from "@scure/base";
import { v7 } from "uuid";

/** The sources from which ids are generated. */
interface Sources {
  readonly now: () => Date;
  readonly randomBytes: (size: number) => Uint8Array;
}

/** A new event id: `evt_` and 26 characters of Crockford base 32 that encode a UUIDv7. Ids sort by time. */
export function newEventId(sources: Sources): string {
  return timeOrderedId("evt", sources);
}

/** A new webhook endpoint id, `whe_…`, in the same format. */
export function newEndpointId(sources: Sources): string {
  return timeOrderedId("whe", sources);
}

/** A new recovery id, `rec_…`, in the same format. */
export function newRecoveryId(sources: Sources): string {
  return timeOrderedId("rec", sources);
}

function timeOrderedId(prefix: string, { now, randomBytes }: Sources): string {
  const id = v7({ msecs: now().getTime(), random: randomBytes(16) }, new Uint8Array(16));
  return `${prefix}_${base32(id)}`;
}

/** 128 bits as 26 characters of Crockford base 32, in lower case. */
export function base32(bits: Uint8Array): string {
  return base32crockford.encode(bits).toLowerCase();
}

/** What an id with such a prefix matches; its last group is what follows the prefix. */
export function idPattern(prefix: string): RegExp {
  return new RegExp(`^${prefix}_([0-9a-hjkmnp-tv-z]{26})$`);
}

/** Whether a caller's `{eventId}` has the format of an event id. */
export const isEventId = /* @__PURE__ */ matches("evt");

/** Whether a caller's `{id}` has the format of a webhook endpoint id. */
export const isEndpointId = /* @__PURE__ */ matches("whe");

/** Whether a caller's `{recoveryId}` has the format of a recovery id. */
export const isRecoveryId = /* @__PURE__ */ matches("rec");

function matches(prefix: string): (id: string) => boolean {
  const pattern = idPattern(prefix);
  return (id) => pattern.test(id);
}
