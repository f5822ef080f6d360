import { expect, test, vi } from "vitest";
import { NotFound } from "#contract/errors";
import { newEventId } from "#contract/identifiers";
import { cursorAfter, WebhookDelivery } from "#contract/webhook-delivery";
import { runtime } from "#runtime/runtime";
import type { DeliveryRecord } from "#webhooks/delivery/delivery-log";
import { listDeliveries } from "#webhooks/delivery/list-deliveries";
import { anEndpoint } from "../builders.ts";

const endpoint = anEndpoint();
const get = async () => endpoint;

const aRecord = (): DeliveryRecord => ({
  endpointId: endpoint.id,
  orgId: "acme",
  eventId: newEventId(runtime),
  eventType: "candidate.received",
  status: "delivered",
  attempts: [],
});

test("a page of deliveries shows no organisation, and its cursor continues after its last event", async () => {
  const [first, second] = [aRecord(), aRecord()];
  const list = vi.fn(async () => [first, second]);
  const cursor = newEventId(runtime);

  const page = await listDeliveries(
    "acme",
    endpoint.id,
    { cursor, limit: 1 },
    { endpoints: { get }, log: { list } },
  );

  expect(page).toEqual({ data: [WebhookDelivery.parse(first)], nextCursor: cursorAfter(first.eventId) });
  expect(page.data[0]).not.toHaveProperty("orgId");
  expect(list).toHaveBeenCalledExactlyOnceWith(endpoint.id, { limit: 2, after: cursor });
});

test("the last page of deliveries has no cursor", async () => {
  const page = await listDeliveries(
    "acme",
    endpoint.id,
    { limit: 20, status: "failed" },
    { endpoints: { get }, log: { list: async () => [aRecord()] } },
  );

  expect(page).toEqual({ data: [] });
});

test("no delivery of another organisation's endpoint is read", async () => {
  const list = vi.fn();
  const missing = async () => {
    throw new NotFound("There is none.");
  };
  const listing = listDeliveries(
    "other",
    endpoint.id,
    { limit: 20 },
    { endpoints: { get: missing }, log: { list } },
  );

  await expect(listing).rejects.toThrow(NotFound);
  expect(list).not.toHaveBeenCalled();
});
