import type { LocalFunction } from "../lambda/local-function.ts";
import type { EventSourceDefinition } from "./definition.ts";
import { startQueuePoller } from "./queue-poller.ts";
import type { EventSourceServices } from "./services.ts";
import { startStreamPoller } from "./stream-poller.ts";

/** Feeds a function until it is stopped. */
export interface EventSourcePoller {
  /** Ends after the batches that are being worked on. */
  stop(): Promise<void>;
}

export function startEventSource(
  source: EventSourceDefinition,
  target: LocalFunction,
  services: EventSourceServices,
): EventSourcePoller {
  return source.kind === "stream"
    ? startStreamPoller(source, target, services)
    : startQueuePoller(source, target, services);
}
