import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { withoutBody } from "#webhooks/delivery/delivery";
import { PARTITIONS, WaitingDeliveries } from "#webhooks/delivery/waiting-deliveries";
import { aStore, type Store } from "../../candidates/candidate-store.ts";
import { aDelivery, NOW } from "../builders.ts";

const LATER = new Date(NOW.getTime() + 3_600_000);

let store: Store;
beforeAll(async () => {
  store = await aStore(inject("dynamoDbEndpoint"));
});
afterAll(() => store?.close());

test("a delivery that waits in the table is due at its time, until it is removed", async () => {
  const waiting = new WaitingDeliveries(store.client, store.tableName);
  const delivery = withoutBody(aDelivery({ attempt: 5, dueAt: LATER.toISOString() }));
  const partitions = Array.from({ length: PARTITIONS }, (_, partition) => partition);
  const dueBefore = async (moment: Date) => {
    const pages = partitions.map((partition) => Array.fromAsync(waiting.dueBefore(moment, partition)));
    return (await Promise.all(pages)).flat(2).filter(({ key }) => key.sk.includes(delivery.eventId));
  };
  await waiting.add(delivery);
  await waiting.add(delivery);

  const early = await dueBefore(new Date(LATER.getTime() - 1));
  const due = await dueBefore(new Date(LATER.getTime() + 1));
  expect(early).toEqual([]);
  expect(due.map(({ message }) => JSON.parse(message))).toEqual([delivery]);

  await waiting.remove(due);
  expect(await dueBefore(new Date(LATER.getTime() + 1))).toEqual([]);
});

test("hundreds of deliveries that wait in the table are removed in one call", async () => {
  const waiting = new WaitingDeliveries(store.client, store.tableName);
  const due = new Date("2030-01-01T00:00:00.000Z");
  const deliveries = Array.from({ length: 260 }, () =>
    withoutBody(aDelivery({ attempt: 5, dueAt: due.toISOString() })),
  );
  await Promise.all(deliveries.map((delivery) => waiting.add(delivery)));
  const after = new Date(due.getTime() + 1);

  const pages = await Array.fromAsync(waiting.dueBefore(after, 0));
  expect(pages.map(({ length }) => length)).toEqual([250, 10]);
  for (const page of pages) await waiting.remove(page);

  expect(await Array.fromAsync(waiting.dueBefore(after, 0))).toEqual([]);
});
