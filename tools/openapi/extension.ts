import { type EventType, EXTENSION_EVENT_TYPES } from "#contract/events";

/** Beyond the contract: for programs, and as a badge for those who read the reference. */
export const extension = { "x-extension": true, "x-badges": [{ name: "Extension" }] } as const;

/** Whether an event type is beyond the contract. */
export function isExtensionEvent(type: EventType): boolean {
  return EXTENSION_EVENT_TYPES.some((one) => one === type);
}
