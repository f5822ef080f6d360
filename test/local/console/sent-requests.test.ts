import { expect, test } from "vitest";
import { SentRequests } from "../../../local/console/sent-requests.ts";

const at = (ms: number) => Date.UTC(2026, 0, 1) + ms;

function aRequest(eventId: string, attempt: number, ms: number) {
  const headers = [
    ["X-RR-Event-Id", eventId],
    ["X-RR-Delivery-Attempt", String(attempt)],
  ] as const;
  return { at: at(ms), url: "https://example.com", headers, body: `${eventId} ${attempt} ${ms}` };
}

/** A delivery whose attempts were recorded with these numbers, at these times. */
function aDelivery(eventId: string, ...attempts: readonly (readonly [attempt: number, ms: number])[]) {
  return {
    eventId,
    attempts: attempts.map(([attempt, ms]) => ({
      attempt,
      at: new Date(at(ms)).toISOString(),
      durationMs: 3,
    })),
  };
}

test("each attempt of a delivery has its own request, also when a resend counts them from 1 again", () => {
  const requests = new SentRequests();
  for (const [attempt, ms] of [
    [1, 0],
    [2, 5_000],
    [1, 60_000],
    // To another endpoint.
    [2, 1_000],
  ] as const) {
    requests.add(aRequest("evt_1", attempt, ms));
  }
  requests.add(aRequest("evt_2", 1, 0));
  const delivery = aDelivery("evt_1", [1, 0], [2, 5_000], [1, 60_000]);

  const found = [0, 1, 2].map((index) => requests.of(delivery, index).map(({ body }) => body));

  expect(found).toEqual([["evt_1 1 0"], ["evt_1 2 5000"], ["evt_1 1 60000"]]);
});

test("the requests of the 1,000 events that were sent last are kept", () => {
  const requests = new SentRequests();
  const isKept = (id: string) => requests.of(aDelivery(id, [1, 0]), 0).length > 0;
  for (let index = 0; index < 1_000; index += 1) requests.add(aRequest(`evt_${index}`, 1, 0));

  requests.add(aRequest("evt_0", 2, 5_000));
  requests.add(aRequest("evt_1000", 1, 0));

  expect(["evt_0", "evt_1", "evt_2", "evt_1000"].map(isKept)).toEqual([true, false, true, true]);
});
