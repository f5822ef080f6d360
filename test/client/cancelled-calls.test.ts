import { getEventListeners } from "node:events";
import { describe, expect, test } from "vitest";
import { aSubmission } from "../builders/submission.ts";
import { aClientOf, created, record, retryWithoutBackoff } from "./scripted-client.ts";
import { refuses } from "./scripted-service.ts";

retryWithoutBackoff();

describe("a call of the client can be cancelled", () => {
  test("before it begins", async () => {
    const { client, requests } = await aClientOf([created]);

    const call = client.createCandidate(aSubmission(), { signal: AbortSignal.abort("changed my mind") });

    await expect(call).rejects.toBe("changed my mind");
    expect(requests).toHaveLength(0);
  });

  test("while the service does not respond", async () => {
    const reason = new Error("leaving");
    const controller = new AbortController();
    const { client, requests } = await aClientOf([() => controller.abort(reason)], { retries: 0 });

    await expect(client.getCandidate("staged_1", { signal: controller.signal })).rejects.toBe(reason);
    expect(requests).toHaveLength(1);
  });

  test.each<[string, (abort: () => void) => void]>([
    ["while it waits for a retry", setImmediate],
    ["in onRetry", (abort) => abort()],
  ])(
    "%s",
    async (_when, abortBy) => {
      const controller = new AbortController();
      const { client, requests } = await aClientOf(
        [refuses(429, "rate_limited", { "Retry-After": "30" }), created],
        { onRetry: () => abortBy(() => controller.abort()) },
      );

      const call = client.createCandidate(aSubmission(), { signal: controller.signal });

      await expect(call).rejects.toMatchObject({ name: "AbortError" });
      expect(requests).toHaveLength(1);
    },
    10_000,
  );

  test("by a long-lived signal that keeps no listener afterwards", async () => {
    const controller = new AbortController();
    const { client } = await aClientOf([refuses(500, "internal_error"), record]);

    await client.getCandidate("staged_1", { signal: controller.signal });

    expect(getEventListeners(controller.signal, "abort")).toEqual([]);
  });

  test("in parallel by one signal, which has one listener while they wait for responses and for retries", async () => {
    const controller = new AbortController();
    const stopping = new AbortController();
    const listeners = () => getEventListeners(controller.signal, "abort").length;
    const atRequest: number[] = [];
    const { client } = await aClientOf([refuses(429, "rate_limited", { "Retry-After": "30" })], {
      stopRetries: stopping.signal,
      fetch: (...request) => {
        atRequest.push(listeners());
        return fetch(...request);
      },
    });

    const calls = Array.from({ length: 12 }, () => client.listEvents({}, { signal: controller.signal }));
    const outcomes = Promise.allSettled(calls);
    await expect.poll(() => getEventListeners(stopping.signal, "abort")).toHaveLength(1);
    controller.abort(new Error("leaving"));

    for (const outcome of await outcomes) expect(outcome).toMatchObject({ reason: { message: "leaving" } });
    expect(new Set(atRequest)).toEqual(new Set([1]));
    expect(listeners()).toBe(0);
    expect(getEventListeners(stopping.signal, "abort")).toEqual([]);
  });
});
