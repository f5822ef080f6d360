import { isDeepStrictEqual } from "node:util";
import { referencesIn, sectionKey } from "#candidates/store/item/section-reference";
import { recordsOf } from "./evidence.ts";
import type { Invariant } from "./invariant.ts";

/** Errors of private functions that are no mistake of the code: refusals, faults that pass, ends of environments. */
const EXPECTED = new Set([
  "invalid_request",
  "events_expired",
  "not_found",
  "consent_revoked",
  "payload_too_large",
  "service_unavailable",
  "Runtime.ExitError",
  "Sandbox.Timedout",
  "ThrottlingException",
  "InternalServerError",
  "TimeoutError",
  "DeliveriesRefused",
]);

export const allComesToRest: Invariant = {
  sentence:
    "Once faults have stopped, every call ends, every queue empties, and no unreferenced parts remain.",
  *violations(outcome) {
    if (!outcome.isQuiet) yield "the service does not come to rest";
    for (const { step, endedAt } of outcome.calls) {
      if (endedAt === undefined) yield `a call of step ${step.number} never ended`;
    }
    const named = new Set(
      outcome.items.flatMap((item) =>
        item["sk"] === "RECORD"
          ? referencesIn(item).map((reference) => `${item["pk"]} ${sectionKey(...reference)}`)
          : [],
      ),
    );
    for (const { pk, sk } of outcome.items) {
      const key = String(sk);
      if (key.startsWith("WRITE#")) yield `the notice ${pk} ${key} remains`;
      if (key.startsWith("PART#") && !named.has(`${pk} ${key.replace(/#\d+$/, "")}`))
        yield `the part ${pk} ${key} remains`;
    }
    for (const key of recordsOf(outcome).keys()) {
      for (const item of outcome.items) {
        if (item["pk"] !== key || item["sk"] !== "RECORD") continue;
        for (const [section, reference] of referencesIn(item)) {
          const parts = outcome.items.filter(
            ({ pk, sk }) => pk === key && String(sk).startsWith(`${sectionKey(section, reference)}#`),
          );
          if (parts.length !== reference.parts)
            yield `${key} refers to ${reference.parts} parts of ${section}, but ${parts.length} exist`;
        }
      }
    }
  },
};

/** A fault that sticks goes on for a minute, in ms. */
const LONGEST_FAULT_MS = 60_000;

export const failsOnlyByFaults: Invariant = {
  sentence: "Calls and invocations fail only because of the faults in the story.",
  *violations(outcome) {
    for (const problem of outcome.problems) yield `the simulation failed: ${problem}`;
    for (const { functionName, result } of outcome.failedInvocations) {
      const { errorType, errorMessage } = JSON.parse(result.payload);
      if (!EXPECTED.has(errorType)) yield `${functionName} failed with ${errorType}: ${errorMessage}`;
    }
    for (const { step, functionName, response, startedAt, endedAt = startedAt } of outcome.calls) {
      const { error } = (response?.body ?? {}) as { error?: string };
      if (error === "internal_error") yield `step ${step.number} got an internal_error`;
      const { outage } = outcome.story;
      const isOut = outage && startedAt <= outcome.beginning + outage.until + LONGEST_FAULT_MS;
      const isDisturbed = outcome.faults.some(
        ({ at, where }) =>
          (where === "caller" || where.includes(functionName)) &&
          at <= endedAt &&
          at + LONGEST_FAULT_MS >= startedAt,
      );
      if (isOut || isDisturbed) continue;
      if (!response || response.status >= 500)
        yield `step ${step.number} got ${response?.status ?? "no response"}, although there was no fault`;
    }
  },
};

export const endpointsAreCounted: Invariant = {
  sentence: "The stored count and versions of an organisation's endpoints are correct.",
  *violations(outcome) {
    for (const orgId of new Set(outcome.story.subscribers.map((each) => each.orgId))) {
      const items = outcome.items.filter(({ pk }) => pk === `ENDPOINTS#${orgId}`);
      const { pk, sk, endpoints, ...versions } = items.find((item) => item["sk"] === "ENDPOINTS") ?? {};
      const there = items.filter((item) => String(item["sk"]).startsWith("ENDPOINT#"));
      const counted = Number(endpoints ?? 0);
      if (counted !== there.length) yield `${orgId} has ${there.length} endpoints, but counts ${counted}`;
      const expected = Object.fromEntries(there.map(({ id, version }) => [String(id), version]));
      if (!isDeepStrictEqual(versions, expected))
        yield `${orgId} has endpoints of the versions ${JSON.stringify(expected)}, but lists ${JSON.stringify(versions)}`;
    }
  },
};
