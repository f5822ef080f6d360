import { DAY } from "#runtime/durations";
import type { StoryOutcome } from "../outcome.ts";
import { endpointEventsOf } from "./evidence.ts";
import type { Invariant } from "./invariant.ts";
import { CLOCKS_MS } from "./times.ts";

/** How long after a series of failures began its notice fires at the earliest, in ms, less what clocks are apart. */
const LEAST_FAILING_MS = DAY - CLOCKS_MS;

export const noticesFireOnce: Invariant = {
  sentence:
    "A notice fires once per series of failures, after at least a day, and once each time an endpoint is disabled.",
  *violations(outcome) {
    const notices = new Map<string, string>();
    for (const { id, type, at, endpointId, item } of endpointEventsOf(outcome)) {
      const since = String(item["failingSince"]);
      if (type === "webhook_endpoint.failing" && at - Date.parse(since) < LEAST_FAILING_MS)
        yield `${endpointId} has a notice at ${new Date(at).toISOString()}, but has failed only since ${since}`;
      // An endpoint that is activated in between may be disabled twice at the same time of two clocks.
      const disabled = `${item["disabledAt"]} after its change at ${item["updatedAt"]}`;
      const name = `${endpointId} ${type} ${type === "webhook_endpoint.failing" ? since : disabled}`;
      const before = notices.get(name);
      if (before) yield `${name} has the notices ${before} and ${id}`;
      notices.set(name, id);
    }
  },
};

export const noNoticeAboutItself: Invariant = {
  sentence: "No endpoint gets a notice about itself.",
  *violations({ writes }: StoryOutcome) {
    for (const { sk, item } of writes) {
      if (!sk.startsWith("DELIVERY#") || !item || item["sample"]) continue;
      const { type, data } = JSON.parse(String(item["event"]));
      if (data.webhookEndpointId === item["endpointId"]) yield `${item["endpointId"]} gets its own ${type}`;
    }
  },
};
