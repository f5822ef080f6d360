import { describe, expect, type TestContext, test } from "vitest";
import { WebhookEvent } from "#contract/events";
import { aSubmission } from "../builders/submission.ts";
import { received } from "./client.ts";
import { anOrganisation, responseOf } from "./platform.ts";
import { aReceiver } from "./receiver.ts";
import { registered, webhookEndpointsOf } from "./webhook-client.ts";

const NOTICES = ["webhook_endpoint.failing", "webhook_endpoint.disabled"];
const TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

/** An organisation with an endpoint that responds with 410, and one that gets notices about it. */
async function aGoneEndpoint({ onTestFinished }: TestContext) {
  const { orgId, caller } = await anOrganisation();
  const gone = await aReceiver((response) => response.writeHead(410).end(), onTestFinished);
  const witness = await aReceiver(undefined, onTestFinished);
  const { id } = await registered(caller, gone.url, ["candidate.received", ...NOTICES]);
  const { id: witnessId } = await registered(caller, witness.url, NOTICES);
  await received(caller, aSubmission());
  const [notice] = await witness.waitFor(1);
  return { orgId, endpoints: webhookEndpointsOf(caller), id, witnessId, gone, witness, notice };
}

describe.concurrent("an endpoint that responds with 410", () => {
  test("is reported to the organisation's other endpoint, and not to itself", async (context) => {
    const { id, gone, notice } = await aGoneEndpoint(context);

    expect(notice?.event).toEqual({
      id: expect.stringMatching(/^evt_/),
      type: "webhook_endpoint.disabled",
      apiVersion: "1.2.0",
      occurredAt: expect.stringMatching(TIME),
      data: {
        webhookEndpointId: id,
        disabledAt: expect.stringMatching(TIME),
        disabledReason: "gone",
      },
    });
    expect(WebhookEvent.parse(notice?.event)).toEqual(notice?.event);
    expect(notice?.body).not.toContain("127.0.0.1");
    expect(gone.deliveries.map(({ event }) => event.type)).toEqual(["candidate.received"]);
  });

  test("shows when and why it was set inactive, until it is active again", async (context) => {
    const { endpoints, id } = await aGoneEndpoint(context);

    const { body: disabled } = await endpoints.get(id);
    const { body: active } = await endpoints.update(id, { active: true });

    expect(disabled).toMatchObject({
      active: false,
      disabledAt: expect.stringMatching(TIME),
      disabledReason: "gone",
    });
    expect(active).toMatchObject({ active: true });
    expect(JSON.stringify([active, (await endpoints.get(id)).body])).not.toMatch(/"disabled/);
  });

  test("is reported again with the same bytes by a resend of its notice", async (context) => {
    const { expect } = context;
    const { orgId, endpoints, witnessId, witness, notice } = await aGoneEndpoint(context);
    const eventId = notice?.event.id ?? "";
    const listed = async () => (await endpoints.deliveries(witnessId)).body["data"];
    await expect.poll(listed).toMatchObject([{ eventId, status: "delivered" }]);

    expect((await endpoints.resend(witnessId, eventId)).status).toBe(202);
    await witness.waitFor(2);
    await responseOf("redeliver-event", { orgId, endpointId: witnessId, eventId });
    const deliveries = await witness.waitFor(3);

    expect(new Set(deliveries.map(({ body }) => body))).toEqual(new Set([notice?.body]));
  });
});

test.concurrent("an endpoint shows since when it fails, and when an attempt last succeeded", async ({
  expect,
  onTestFinished,
}) => {
  const { caller } = await anOrganisation();
  const statusCodes = [500];
  const receiver = await aReceiver(
    (response) => response.writeHead(statusCodes.shift() ?? 204).end(),
    onTestFinished,
  );
  const { id } = await registered(caller, receiver.url, ["candidate.received"]);
  const endpoints = webhookEndpointsOf(caller);
  const shown = async () => (await endpoints.get(id)).body;

  await received(caller, aSubmission());
  await expect.poll(shown).toHaveProperty("failingSince");
  const failing = await shown();
  await expect.poll(shown).toHaveProperty("lastSuccessAt");

  expect(failing).toMatchObject({ failingSince: expect.stringMatching(TIME) });
  expect(failing).not.toHaveProperty("lastSuccessAt");
  expect(await shown()).toMatchObject({ lastSuccessAt: expect.stringMatching(TIME) });
  expect(await shown()).not.toHaveProperty("failingSince");
  expect((await endpoints.list()).body["data"]).toEqual([await shown()]);
});

test("an endpoint that its organisation sets inactive shows since when, until it is active again", async () => {
  const { caller } = await anOrganisation();
  const { signingSecret: _, ...endpoint } = await registered(caller, "https://hooks.example.com/");
  const endpoints = webhookEndpointsOf(caller);

  const { body } = await endpoints.update(endpoint.id, { active: false });

  const disabledAt = expect.stringMatching(TIME);
  expect(body).toEqual({ ...endpoint, active: false, disabledAt, disabledReason: "by_request" });
  expect((await endpoints.update(endpoint.id, { active: false })).body).toEqual(body);
  expect((await endpoints.update(endpoint.id, { active: true })).body).toEqual(endpoint);
});

test.each(NOTICES)("a sample of %s reaches an endpoint that is subscribed to it", async (type) => {
  const { caller } = await anOrganisation();
  const receiver = await aReceiver();
  const { id } = await registered(caller, receiver.url, [type]);

  expect((await webhookEndpointsOf(caller).test(id)).status).toBe(202);
  const [sample] = await receiver.waitFor(1);

  expect(sample?.event).toMatchObject({ type, sample: true });
  expect(sample?.headers["x-rr-event-type"]).toBe(type);
});
