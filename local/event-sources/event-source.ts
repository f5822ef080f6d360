import type { LocalFunction } from "../lambda/local-function.ts";
import type { EventSourceDefinition } from "./definition.ts";
import type { EventSourcePoller } from "./poller.ts";
import { QueuePoller } from "./queue-poller.ts";
import type { EventSourceServices } from "./services.ts";
import { StreamPoller } from "./stream-poller.ts";

/** Starts to invoke a function with an event source's records or messages. */
export function startEventSource(
  source: EventSourceDefinition,
  target: LocalFunction,
  services: EventSourceServices,
): EventSourcePoller {
  return source.kind === "stream"
    ? new StreamPoller(source, target, services)
    : new QueuePoller(source, target, services);
}
