import fc from "fast-check";
import { Webhook, WebhookVerificationError } from "standardwebhooks";
import { expect, test } from "vitest";
import { runtime } from "#runtime/runtime";
import { deliveryHeaders } from "#webhooks/delivery/delivery-headers";
import { newSigningSecret } from "#webhooks/endpoints/signature";
import { aDelivery } from "../builders.ts";

const delivery = aDelivery();
const current = newSigningSecret(runtime.randomBytes);

/** The headers of an attempt made so many seconds ago. */
const headersOf = (secrets: Parameters<typeof deliveryHeaders>[1], secondsAgo = 0) =>
  deliveryHeaders(delivery, secrets, new Date(Date.now() - secondsAgo * 1_000));

test("the Standard Webhooks library verifies a delivery with any body", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string({ unit: "grapheme" }), fc.jsonValue()), (event) => {
      const body = JSON.stringify(event);
      const headers = deliveryHeaders({ ...delivery, body }, { current }, new Date());

      expect(new Webhook(current).verify(body, headers)).toEqual(JSON.parse(body));
    }),
    { numRuns: 50 },
  );
});

test("the Standard Webhooks library verifies a delivery with either secret during a rotation", () => {
  const previous = newSigningSecret(runtime.randomBytes);
  const headers = headersOf({ current, previous });

  for (const secret of [current, previous]) {
    expect(new Webhook(secret).verify(delivery.body, headers)).toMatchObject({ id: delivery.eventId });
  }
  expect(() => new Webhook(newSigningSecret(runtime.randomBytes)).verify(delivery.body, headers)).toThrow(
    WebhookVerificationError,
  );
});

test.each([
  ["an old delivery", () => ({ headers: headersOf({ current }, 301), body: delivery.body })],
  ["another body", () => ({ headers: headersOf({ current }), body: `${delivery.body} ` })],
  [
    "another event's id",
    () => ({ headers: { ...headersOf({ current }), "webhook-id": "evt_2" }, body: delivery.body }),
  ],
])("the Standard Webhooks library refuses %s", (_what, received) => {
  const { headers, body } = received();

  expect(() => new Webhook(current).verify(body, headers)).toThrow(WebhookVerificationError);
});

test("the webhook-id header is the event's id, and webhook-timestamp the attempt's time in seconds", () => {
  const at = new Date("2026-11-22T09:00:00.999Z");

  expect(deliveryHeaders(delivery, { current }, at)).toMatchObject({
    "webhook-id": delivery.eventId,
    "webhook-timestamp": "1795338000",
  });
});
