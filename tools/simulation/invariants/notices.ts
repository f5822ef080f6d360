import type { StoryOutcome } from "../simulation.ts";
import { endpointEventsOf } from "./evidence.ts";
import type { Invariant } from "./invariant.ts";

/** How long after the beginning of a series of failures it is told, in ms, less what clocks are apart. */
const LEAST_FAILING_MS = 24 * 60 * 60_000 - 2_500;

export const seriesAreToldOnce: Invariant = {
  sentence: "Each series of failures is told once, after a day at the earliest, and each disabling once.",
  *violations(outcome) {
    const told = new Map<string, string>();
    for (const { id, type, at, endpointId, item } of endpointEventsOf(outcome)) {
      const since = String(item["failingSince"]);
      if (type === "webhook_endpoint.failing" && at - Date.parse(since) < LEAST_FAILING_MS)
        yield `${endpointId} is told to fail at ${new Date(at).toISOString()}, and does since ${since}`;
      const name = `${endpointId} ${type} ${type === "webhook_endpoint.failing" ? since : item["disabledAt"]}`;
      const before = told.get(name);
      if (before) yield `${name} is told as ${before}, and again as ${id}`;
      told.set(name, id);
    }
  },
};

export const nobodyIsToldOfItself: Invariant = {
  sentence: "No endpoint gets a notice about itself.",
  *violations({ writes }: StoryOutcome) {
    for (const { sk, item } of writes) {
      if (!sk.startsWith("DELIVERY#") || !item || item["sample"]) continue;
      const { type, data } = JSON.parse(String(item["event"]));
      if (data.webhookEndpointId === item["endpointId"]) yield `${item["endpointId"]} gets its own ${type}`;
    }
  },
};
