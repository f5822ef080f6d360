import { expect, test, vi } from "vitest";
import type { Delivery } from "#webhooks/delivery/delivery";
import type { Refusal } from "#webhooks/delivery/delivery-queue";
import { GatheredQueue } from "#webhooks/delivery/gathered-queue";
import { aDelivery } from "../builders.ts";

/** A queue that gathers deliveries until `request` is called. */
function aGatheredQueue() {
  let request = () => {};
  const sendAll = vi.fn(async (_deliveries: readonly Delivery[]): Promise<Refusal[]> => []);
  const wait = vi.fn((_ms: number) => new Promise<void>((resolve) => (request = resolve)));
  return { queue: new GatheredQueue({ sendAll }, wait), sendAll, wait, request: () => request() };
}

test("sends what it gathers together, and what comes later on its own", async () => {
  const { queue, sendAll, wait, request } = aGatheredQueue();
  const [first, second, later] = [aDelivery(), aDelivery(), aDelivery()];

  const sent = [queue.send(first), queue.send(second)];
  request();
  await Promise.all(sent);
  const sentLater = queue.send(later);
  request();
  await sentLater;

  expect(sendAll.mock.calls).toEqual([[[first, second]], [[later]]]);
  expect(wait.mock.calls).toEqual([[5], [5]]);
});

test("gathers what is sent while a request is under way for the next one", async () => {
  const { queue, sendAll, request } = aGatheredQueue();
  const responded = Promise.withResolvers<Refusal[]>();
  sendAll.mockReturnValueOnce(responded.promise);
  const [first, second] = [aDelivery(), aDelivery()];

  const sent = queue.send(first);
  request();
  await vi.waitFor(() => expect(sendAll).toHaveBeenCalled());
  const next = queue.send(second);
  request();
  await next;
  responded.resolve([]);
  await sent;

  expect(sendAll.mock.calls).toEqual([[[first]], [[second]]]);
});

test("fails for the deliveries that the queue refuses, and for no other", async () => {
  const { queue, sendAll, request } = aGatheredQueue();
  const [accepted, refused] = [aDelivery(), aDelivery()];
  sendAll.mockResolvedValueOnce([{ delivery: refused, senderFault: false }]);

  const sent = Promise.allSettled([queue.send(accepted), queue.send(refused)]);
  request();

  expect(await sent).toMatchObject([
    { status: "fulfilled" },
    { status: "rejected", reason: { message: "Deliveries that the queue refused: 1." } },
  ]);
});
