import { test } from "vitest";
import { aSubmission } from "../builders/submission.ts";
import { received } from "./client.ts";
import { anOrganisation } from "./platform.ts";
import { aReceiver } from "./receiver.ts";
import { registered, webhookEndpointsOf } from "./webhook-client.ts";

const MINUTE = 60_000;

test.concurrent.for([
  // The first delivery to a new endpoint comes from the side queue. A sample that it takes lets its events use the
  // delivery queue.
  ["first attempt at a new endpoint", []],
  ["first attempt", [204]],
  ["second attempt", [204, 500]],
] as const)(
  "a receiver that asks on the %s to wait an hour gets the next one an hour later",
  async ([_, before], { expect, onTestFinished }) => {
    const { caller } = await anOrganisation();
    const statuses: number[] = [...before];
    const receiver = await aReceiver((response) => {
      const status = statuses.shift();
      if (status) response.writeHead(status).end();
      else response.writeHead(503, { "Retry-After": "3600" }).end();
    }, onTestFinished);
    const { id } = await registered(caller, receiver.url);
    const endpoints = webhookEndpointsOf(caller);
    if (before.length > 0) {
      await endpoints.test(id);
      await expect
        .poll(async () => (await endpoints.deliveries(id)).body["data"])
        .toMatchObject([{ status: "delivered" }]);
    }
    const startedAt = Date.now();

    await received(caller, aSubmission());
    await receiver.waitFor(before.length + 1);

    const waits = async () => {
      const { body } = await endpoints.deliveries(id);
      const [delivery] = body["data"] as { status: string; nextAttemptAt?: string }[];
      return delivery?.nextAttemptAt ? Date.parse(delivery.nextAttemptAt) - startedAt : 0;
    };
    await expect.poll(waits).toBeGreaterThanOrEqual(60 * MINUTE);
    expect(await waits()).toBeLessThan(62 * MINUTE);
    expect(receiver.deliveries).toHaveLength(before.length + 1);
  },
);
