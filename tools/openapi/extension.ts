import { type EventType, EXTENSION_EVENT_TYPES } from "#contract/events";

/** Marks extensions of the contract: for programs, and as a badge in the reference. */
export const extension = { "x-extension": true, "x-badges": [{ name: "Extension" }] } as const;

/** Marks operations that exist only in environments with a sandbox. */
export const sandboxOnly = {
  "x-sandbox": true,
  "x-badges": [...extension["x-badges"], { name: "Not in production" }],
} as const;

/** Whether an event type is beyond the contract. */
export function isExtensionEvent(type: EventType): boolean {
  return EXTENSION_EVENT_TYPES.some((one) => one === type);
}
