import { PutCommand } from "@aws-sdk/lib-dynamodb";
import fc from "fast-check";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { ServiceUnavailable } from "#contract/errors";
import { metrics } from "#runtime/metrics";
import { type Delivery, withoutBody } from "#webhooks/delivery/delivery";
import type { Refusal } from "#webhooks/delivery/delivery-queue";
import { releaseDeliveries } from "#webhooks/delivery/release";
import { Retries } from "#webhooks/delivery/retries";
import { WaitingDeliveries } from "#webhooks/delivery/waiting-deliveries";
import { capturedLogs } from "../../builders/captured-logs.ts";
import { SimulatedStore } from "../../simulation/simulated-store.ts";
import { aDelivery } from "../builders.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

const logs = capturedLogs();

/** A retry queue and the waiting deliveries of an empty table. */
function aService() {
  const store = new SimulatedStore();
  const waiting = new WaitingDeliveries(store.client, store.tableName);
  const sent: Delivery[] = [];
  const queue = {
    send: vi.fn(async (delivery: Delivery) => void sent.push(delivery)),
    sendAll: vi.fn(async (deliveries: readonly Delivery[]): Promise<Refusal[]> => {
      sent.push(...deliveries);
      return [];
    }),
  };
  /** The next request of the queue accepts every delivery but this one. */
  const refuseOnce = ({ eventId }: Delivery, { senderFault }: Pick<Refusal, "senderFault">) =>
    queue.sendAll.mockImplementationOnce(async (deliveries) => {
      sent.push(...deliveries.filter((each) => each.eventId !== eventId));
      return deliveries
        .filter((each) => each.eventId === eventId)
        .map((delivery) => ({ delivery, senderFault }));
    });
  const parked: string[] = [];
  const retries = new Retries({ side: queue, retry: queue }, waiting, store.now);
  const release = () =>
    releaseDeliveries({
      waiting,
      retryQueue: queue,
      deadLetters: { park: async (message) => void parked.push(message) },
      now: store.now,
    });
  const dueIn = (ms: number, attempt = 5) =>
    withoutBody(aDelivery({ attempt, dueAt: new Date(store.milliseconds + ms).toISOString() }));
  return { store, waiting, queue, refuseOnce, sent, parked, retries, release, dueIn };
}

/** Deliveries in an order that does not depend on the partitions that they waited in. */
const byEvent = (deliveries: readonly Delivery[]) =>
  deliveries.toSorted((left, right) => left.eventId.localeCompare(right.eventId));

describe("a retry", () => {
  test.each([
    ["now", 0],
    ["in five seconds", 5 * SECOND],
    ["in the 15 minutes that SQS can delay it", 15 * MINUTE],
  ])("that is due %s waits in the retry queue", async (_when, ms) => {
    const { sent, store, retries, dueIn } = aService();
    const delivery = dueIn(ms);

    await retries.send(delivery, "retry");

    expect(sent).toEqual([delivery]);
    expect([...store.table.items()]).toEqual([]);
  });

  test.each([15 * MINUTE + 1, HOUR, 29 * HOUR])("that is due in %i ms waits in the table", async (ms) => {
    const { sent, store, retries, dueIn } = aService();

    await retries.send(dueIn(ms), "retry");

    expect(sent).toEqual([]);
    expect([...store.table.items()]).toHaveLength(1);
  });

  test("that waits in the table is released whole, in time for its delay, and only once", async () => {
    const { sent, store, retries, release, dueIn } = aService();
    const delivery = dueIn(30 * MINUTE);
    await retries.send(delivery, "retry");

    store.pass(28 * MINUTE);
    await release();
    expect(sent).toEqual([]);
    store.pass(1);
    await release();
    await release();

    expect(sent).toEqual([delivery]);
    expect([...store.table.items()]).toEqual([]);
  });

  test("that was to be released during an outage of days is released after it", async () => {
    const { sent, store, retries, release, dueIn } = aService();
    const delivery = dueIn(HOUR);
    await retries.send(delivery, "retry");

    store.pass(30 * 24 * HOUR);
    await release();

    expect(sent).toEqual([delivery]);
  });
});

describe("the release of waiting deliveries", () => {
  test("moves all that are due, and no others", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 16 * 60, max: 100 * 60 }), { maxLength: 40 }),
        fc.integer({ min: 0, max: 100 * 60 }),
        async (waits, passed) => {
          const { sent, store, retries, release, dueIn } = aService();
          // Any millisecond, since it decides the partition.
          const deliveries = waits.map((seconds, index) => dueIn(seconds * SECOND + index));
          for (const delivery of deliveries) await retries.send(delivery, "retry");

          store.pass(passed * SECOND);
          await release();

          const until = new Date(store.milliseconds + 2 * MINUTE).toISOString();
          expect(byEvent(sent)).toEqual(byEvent(deliveries.filter(({ dueAt }) => dueAt < until)));
        },
      ),
      { numRuns: 30 },
    );
  });

  test("moves more than one batch of those that were due at the same moment", async () => {
    const { sent, store, retries, release, dueIn } = aService();
    const deliveries = Array.from({ length: 60 }, () => dueIn(HOUR));
    for (const delivery of deliveries) await retries.send(delivery, "retry");

    store.pass(HOUR);
    await release();

    expect(byEvent(sent)).toEqual(byEvent(deliveries));
    expect([...store.table.items()]).toEqual([]);
  });

  test("keeps what the queue refuses, fails, and releases the other partitions all the same", async () => {
    const { refuseOnce, sent, store, retries, release, dueIn } = aService();
    const [first, second, third] = [dueIn(HOUR), dueIn(HOUR), dueIn(HOUR + 1)];
    await retries.send(first, "retry");
    await retries.send(second, "retry");
    await retries.send(third, "retry");
    store.pass(HOUR);
    refuseOnce(first, { senderFault: false });

    const error = await release().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ServiceUnavailable);
    expect(error).toMatchObject({ cause: { message: "Deliveries that the queue refused: 1." } });
    expect(sent).toEqual([second, third]);
    const partition = Date.parse(first.dueAt) % 10;
    expect(logs.lines().map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { message: "deliveries released", partition, released: 1 },
      { message: "release failed", partition },
      { message: "deliveries released", partition: (partition + 1) % 10, released: 1 },
    ]);
    await release();

    expect(sent).toEqual([second, third, first]);
  });

  test("parks a delivery that the queue would refuse again, and goes on", async () => {
    const { refuseOnce, sent, parked, store, retries, release, dueIn } = aService();
    const [refused, other] = [dueIn(HOUR), dueIn(HOUR)];
    await retries.send(refused, "retry");
    await retries.send(other, "retry");
    store.pass(HOUR);
    refuseOnce(refused, { senderFault: true });

    await release();

    expect(parked.map((message) => JSON.parse(message))).toEqual([refused]);
    expect(sent).toEqual([other]);
    expect([...store.table.items()]).toEqual([]);
  });

  test("parks a delivery that it cannot read, and goes on", async () => {
    const { sent, parked, store, retries, release, dueIn } = aService();
    const delivery = dueIn(HOUR);
    await retries.send(delivery, "retry");
    const unreadable = { pk: "WAITING#0", sk: "2026-06-01T12:30:00.000Z#whe_1#evt_1#5", message: "{}" };
    await store.client.send(new PutCommand({ TableName: store.tableName, Item: unreadable }));

    store.pass(HOUR);
    await release();

    expect(parked).toEqual(["{}"]);
    expect(sent).toEqual([delivery]);
    expect([...store.table.items()]).toEqual([]);
    expect(logs.lines().map((line) => JSON.parse(line) as unknown)).toContainEqual(
      expect.objectContaining({
        level: "ERROR",
        message: "unreadable delivery",
        pk: unreadable.pk,
        sk: unreadable.sk,
      }),
    );
  });

  test("begins with another partition each minute, so that none is always the last", async () => {
    const { store, queue } = aService();
    const begun: number[] = [];
    const waiting = {
      async *dueBefore(_moment: Date, partition: number) {
        begun.push(partition);
        yield [];
      },
      remove: async () => {},
    };
    const service = { waiting, retryQueue: queue, deadLetters: { park: async () => {} }, now: store.now };

    for (let run = 0; run < 10; run++) {
      await releaseDeliveries(service);
      store.pass(MINUTE);
    }

    const firsts = begun.filter((_, index) => index % 10 === 0);
    expect(new Set(firsts).size).toBe(10);
    expect(new Set(begun.slice(0, 10)).size).toBe(10);
  });

  test.each([
    ["on time", -MINUTE, 0],
    ["an hour late", HOUR, HOUR],
  ])("measures how late it is: %s", async (_when, late, expected) => {
    const addMetric = vi.spyOn(metrics, "addMetric").mockReturnThis();
    onTestFinished(() => addMetric.mockRestore());
    const { store, retries, release, dueIn } = aService();
    await retries.send(dueIn(HOUR), "retry");

    store.pass(HOUR + late);
    await release();

    expect(addMetric).toHaveBeenCalledExactlyOnceWith("ReleaseDelay", "Milliseconds", expected);
    addMetric.mockRestore();
  });

  test("reads the table with strong consistency, so that nothing is released twice", async () => {
    const { sent, store, retries, release, dueIn } = aService();
    store.staleness = 0.999;
    await retries.send(dueIn(HOUR), "retry");
    store.pass(HOUR);

    await release();
    await release();

    expect(sent).toHaveLength(1);
  });
});
