import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { DeliveryStatus } from "#contract/webhook-delivery";
import type { DeliveryRecord } from "#webhooks/delivery/delivery-log";
import { deliveryPage } from "#webhooks/delivery/delivery-page";

/** A log of one endpoint's records, whose statuses are given newest first. */
function aLog(statuses: readonly DeliveryStatus[]) {
  const records = statuses.map(
    (status, index): DeliveryRecord => ({
      endpointId: "whe_1",
      orgId: "acme",
      eventId: `evt_${String(statuses.length - index).padStart(6, "0")}`,
      eventType: "candidate.received",
      status,
      attempts: [],
    }),
  );
  const list = vi.fn(
    async (_endpointId: string, { limit, after }: { limit: number; after?: string | undefined }) =>
      records.filter(({ eventId }) => !after || eventId < after).slice(0, limit),
  );
  return { records, list };
}

const many = (length: number, status: DeliveryStatus) => Array.from({ length }, () => status);

describe("the pages of a delivery list", () => {
  test("contain each delivery of the status once, newest first, and are full except for the last", async () => {
    const anyStatus = fc.constantFrom(...DeliveryStatus.options);
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyStatus, { maxLength: 60 }),
        fc.option(anyStatus, { nil: undefined }),
        fc.integer({ min: 1, max: 20 }),
        async (statuses, status, limit) => {
          const { records, list } = aLog(statuses);
          const wanted = records.filter((record) => !status || record.status === status);

          const pages = [];
          let after: string | undefined;
          do {
            const { deliveries, next } = await deliveryPage("whe_1", { limit, after, status }, { list });
            pages.push(deliveries);
            after = next;
          } while (after);

          expect(pages.flat()).toEqual(wanted);
          for (const page of pages.slice(0, -1)) expect(page).toHaveLength(limit);
          expect(pages).toHaveLength(Math.max(1, Math.ceil(wanted.length / limit)));
        },
      ),
    );
  });

  test("read no more than they need if the first deliveries have the status", async () => {
    const { list } = aLog(many(5_000, "delivered"));

    await deliveryPage("whe_1", { limit: 1, status: "delivered" }, { list });

    expect(list.mock.calls.map(([, { limit }]) => limit)).toEqual([2]);
  });

  test("find a rare status among thousands of others, reading a bounded number per page", async () => {
    const { records, list } = aLog([...many(4_999, "delivered"), "failed"]);
    const options = { limit: 20, status: "failed" } as const;

    const first = await deliveryPage("whe_1", options, { list });
    expect(list.mock.calls.reduce((sum, [, { limit }]) => sum + limit, 0)).toBe(2_000);
    const second = await deliveryPage("whe_1", { ...options, after: first.next }, { list });
    const third = await deliveryPage("whe_1", { ...options, after: second.next }, { list });

    expect([first.deliveries, second.deliveries]).toEqual([[], []]);
    expect(third).toEqual({ deliveries: records.slice(-1) });
    for (const [, { limit }] of list.mock.calls) expect(limit).toBeLessThanOrEqual(500);
  });
});

test("a page of deliveries of any status takes one request", async () => {
  const { list } = aLog(many(100, "delivered"));

  await deliveryPage("whe_1", { limit: 20 }, { list });

  expect(list).toHaveBeenCalledExactlyOnceWith("whe_1", { limit: 21, after: undefined });
});
