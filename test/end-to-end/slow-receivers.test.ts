import { setTimeout as delay } from "node:timers/promises";
import { describe, test } from "vitest";
import { aSubmission } from "../builders/submission.ts";
import { received } from "./client.ts";
import type { Received } from "./messages.ts";
import { anOrganisation } from "./platform.ts";
import { aReceiver, type Respond } from "./receiver.ts";
import { registered, webhookEndpointsOf } from "./webhook-client.ts";

/** Longer than an attempt from the delivery queue or the side queue takes (docs/decisions/0039-lanes.md), in ms. */
const SLOW_MS = 2_500;

const responding =
  (ms: number, statusCode: number, headers = {}): Respond =>
  async (response) => {
    await delay(ms);
    response.writeHead(statusCode, headers).end();
  };

/** A receiver that responds to its first deliveries in these ways, and to all others as to the last. */
function inTurn(...responses: readonly Respond[]): Respond {
  let count = 0;
  return (response, delivery) => responses[Math.min(count++, responses.length - 1)]?.(response, delivery);
}

const attemptsOf = (deliveries: readonly Received[]) =>
  deliveries.map(({ event, headers }) => [event.data.stagedId, Number(headers["x-rr-delivery-attempt"])]);

describe.concurrent("a receiver that takes more than two seconds", () => {
  test("has the same attempt again, with the time that it needs, and its events are delivered", async ({
    expect,
    onTestFinished,
  }) => {
    const { caller } = await anOrganisation();
    const receiver = await aReceiver(inTurn(responding(0, 204), responding(SLOW_MS, 204)), onTestFinished);
    const { id } = await registered(caller, receiver.url);

    const listed = async () => (await webhookEndpointsOf(caller).deliveries(id)).body["data"];
    const delivered = { status: "delivered", attempts: [{ attempt: 1, statusCode: 204 }] };
    const first = await received(caller, aSubmission());
    // Once the record says so, the endpoint is proven, and the next attempt comes from the delivery queue.
    await expect.poll(listed).toMatchObject([delivered]);
    const second = await received(caller, aSubmission());
    await receiver.waitFor(3);

    await expect.poll(listed).toMatchObject([delivered, delivered]);
    expect(attemptsOf(receiver.deliveries)).toEqual([
      [first, 1],
      [second, 1],
      [second, 1],
    ]);
  });

  test("has a failed attempt repeated after five seconds, and gets its next event once, then when it asks for it", async ({
    expect,
    onTestFinished,
  }) => {
    const { caller } = await anOrganisation();
    const receiver = await aReceiver(
      inTurn(
        responding(SLOW_MS, 500),
        responding(SLOW_MS, 500),
        responding(SLOW_MS, 204),
        responding(SLOW_MS, 503, { "Retry-After": "3600" }),
      ),
      onTestFinished,
    );
    const { id } = await registered(caller, receiver.url);

    const first = await received(caller, aSubmission());
    const [, failed, repeated] = await receiver.waitFor(3);
    const second = await received(caller, aSubmission());
    await receiver.waitFor(4);

    const waiting = async () => (await webhookEndpointsOf(caller).deliveries(id, { status: "pending" })).body;
    await expect.poll(waiting).toMatchObject({ data: [{ attempts: [{ attempt: 1, statusCode: 503 }] }] });
    const [delivery] = (await waiting())["data"] as { readonly nextAttemptAt: string }[];
    expect(Date.parse(delivery?.nextAttemptAt ?? "") - Date.now()).toBeGreaterThan(59 * 60_000);
    expect(attemptsOf(receiver.deliveries)).toEqual([
      [first, 1],
      [first, 1],
      [first, 2],
      [second, 1],
    ]);
    const waited = Number(repeated?.at) - Number(failed?.at) - SLOW_MS;
    expect(waited).toBeGreaterThan(3_900);
  });
});
