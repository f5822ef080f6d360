import { beforeAll, describe, expect, test } from "vitest";
import type { CandidateFeedEvent } from "#contract/events";
import { newEventId } from "#contract/identifiers";
import { type WebhookDelivery, WebhookDeliveryPage } from "#contract/webhook-delivery";
import { runtime } from "#runtime/runtime";
import { anExternalId, aSubmission } from "../builders/submission.ts";
import { aCaller, type Caller, received } from "./client.ts";
import type { Received } from "./messages.ts";
import { advance, anOrganisation } from "./platform.ts";
import { aReceiver, type Respond } from "./receiver.ts";
import { aSubscriber, registered, UNKNOWN_ENDPOINT_ID } from "./webhook-client.ts";

/** A subscriber whose receiver responds as given, and its list of deliveries. */
async function aRecordedSubscriber(respond?: Respond) {
  const { orgId, caller, endpoints, receiver, endpointId: id } = await aSubscriber({ respond });
  const page = async (query: Readonly<Record<string, string>> = {}) => {
    const { status, text, body } = await endpoints.deliveries(id, query);
    expect(status, text).toBe(200);
    expect(WebhookDeliveryPage.parse(body)).toEqual(body);
    return body as WebhookDeliveryPage;
  };
  /** Waits until as many deliveries are on record as the endpoint has had, and gives them. */
  const recorded = async (count: number, isSettled = (_: WebhookDelivery) => true) => {
    await expect.poll(async () => (await page({ limit: "100" })).data.filter(isSettled).length).toBe(count);
    return (await page({ limit: "100" })).data;
  };
  return { orgId, caller, receiver, id, endpoints, page, recorded };
}

const anAttempt = (outcome: object) => ({
  attempt: 1,
  at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
  durationMs: expect.any(Number),
  ...outcome,
});

describe("the list of an endpoint's deliveries", () => {
  test("contains each delivery once, newest first, page by page", async () => {
    const { endpoints, id, receiver, page, recorded } = await aRecordedSubscriber();
    for (let count = 1; count <= 5; count++) {
      await endpoints.test(id);
      await receiver.waitFor(count);
    }
    await recorded(5);

    const first = await page({ limit: "2" });
    const second = await page({ limit: "2", cursor: String(first.nextCursor) });
    const third = await page({ limit: "2", cursor: String(second.nextCursor) });

    const sent = receiver.deliveries.map(({ event }) => event.id);
    expect([first, second, third].map(({ data }) => data.map(({ eventId }) => eventId))).toEqual([
      [sent[4], sent[3]],
      [sent[2], sent[1]],
      [sent[0]],
    ]);
    expect(third).not.toHaveProperty("nextCursor");
    expect(await page({ limit: "5" })).not.toHaveProperty("nextCursor");
    expect((await page()).data).toHaveLength(5);
  });

  test("shows the status of each delivery and can be filtered by status", async () => {
    const outcomes: (200 | 410 | 500)[] = [200, 500, 500, 410];
    const { caller, endpoints, id, receiver, page, recorded } = await aRecordedSubscriber((response) =>
      response.writeHead(outcomes.shift() ?? 500).end(),
    );
    await received(caller, aSubmission());
    await receiver.waitFor(1);
    await endpoints.test(id);
    await receiver.waitFor(2);
    await received(caller, aSubmission());
    await receiver.waitFor(3);
    await received(caller, aSubmission());
    await receiver.waitFor(4);

    const [dropped, pending, failed, delivered] = await recorded(4);

    const event = (index: number) => ({
      eventId: receiver.deliveries[index]?.event.id,
      eventType: "candidate.received",
    });
    expect(delivered).toEqual({
      ...event(0),
      status: "delivered",
      attempts: [anAttempt({ statusCode: 200 })],
    });
    expect(failed).toEqual({
      ...event(1),
      status: "failed",
      sample: true,
      attempts: [anAttempt({ statusCode: 500 })],
    });
    expect(pending).toEqual({
      ...event(2),
      status: "pending",
      attempts: [anAttempt({ statusCode: 500 })],
      nextAttemptAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    });
    expect(dropped).toEqual({ ...event(3), status: "dropped", attempts: [anAttempt({ statusCode: 410 })] });
    for (const delivery of [dropped, failed, delivered]) {
      expect(await page({ status: String(delivery?.status) })).toEqual({ data: [delivery] });
    }
  });

  test("shows why there was no response, and no data of the candidate", async () => {
    const externalId = `canary.${anExternalId()}@example.com`;
    const { caller, endpoints, id, recorded } = await aRecordedSubscriber((response) => response.destroy());

    await received(caller, aSubmission({ externalId }));
    const [delivery] = await recorded(1);

    expect(delivery?.attempts[0]).toEqual(anAttempt({ failure: "connection_failed" }));
    expect((await endpoints.deliveries(id)).text).not.toMatch(/canary|staged_|externalId|org-/);
  });

  test("is an empty page if there are none", async () => {
    const { page } = await aRecordedSubscriber();

    expect(await page()).toEqual({ data: [] });
    expect(await page({ status: "failed", limit: "100" })).toEqual({ data: [] });
  });

  test("of another organisation's endpoint is not found, whatever the cursor", async () => {
    const { endpoints, id, receiver, page, recorded } = await aRecordedSubscriber();
    const stranger = await aRecordedSubscriber();
    for (let count = 1; count <= 2; count++) {
      await endpoints.test(id);
      await receiver.waitFor(count);
    }
    await recorded(2);
    const { nextCursor: cursor = "" } = await page({ limit: "1" });

    for (const unknown of [id, UNKNOWN_ENDPOINT_ID, "ENDPOINTS"]) {
      const response = await stranger.endpoints.deliveries(unknown, { cursor });
      expect([response.status, response.body["error"]]).toEqual([404, "not_found"]);
    }
    // Of one's own endpoint it shows one's own.
    expect(await stranger.page({ cursor })).toEqual({ data: [] });
    await endpoints.delete(id);
    expect((await endpoints.deliveries(id)).status).toBe(404);
  });
});

describe("the list of an endpoint's deliveries is refused with", () => {
  let caller: Caller;
  let id: string;

  beforeAll(async () => {
    ({ caller } = await anOrganisation());
    ({ id } = await registered(caller, "https://hooks.example.com/"));
  });

  test.each<readonly [string, string]>([
    ["limit=0", "limit"],
    ["limit=101", "limit"],
    ["limit=1.5", "limit"],
    ["limit=-1", "limit"],
    ["limit=", "limit"],
    ["limit=1&limit=2", "limit"],
    ["status=lost", "status"],
    ["status=", "status"],
    ["status=failed&status=pending", "status"],
    ["cursor=", "cursor"],
    ["cursor=nonsense", "cursor"],
    [`cursor=${newEventId(runtime)}`, "cursor"],
    [`cursor=${"x".repeat(3_000)}`, "cursor"],
    [`cursor=${Buffer.from(`${newEventId(runtime)}#`).toString("base64url")}`, "cursor"],
    [`cursor=${Buffer.from(newEventId(runtime)).toString("base64url")}%20`, "cursor"],
  ])("%s", async (query, member) => {
    const response = await caller.send({
      method: "GET",
      path: `/v1/webhook-endpoints/${id}/deliveries?${query}`,
    });

    expect(response.status, response.text).toBe(400);
    expect(response.body).toEqual({
      error: "invalid_request",
      message: expect.stringMatching(new RegExp(`^${member}: .+ expected$`)),
    });
  });
});

describe("resending a delivery", () => {
  test("sends the same event id and bytes, from the first attempt", async () => {
    const { caller, endpoints, id, receiver, recorded } = await aRecordedSubscriber();
    await received(caller, aSubmission({ externalId: `ü.${anExternalId()}@example.com` }));
    const [first] = await receiver.waitFor(1);
    await recorded(1);

    const response = await endpoints.resend(id, first?.event.id);
    const [, again] = await receiver.waitFor(2);

    expect([response.status, response.text]).toEqual([202, ""]);
    expect(again?.body).toBe(first?.body);
    for (const header of ["x-rr-event-id", "x-rr-event-type", "x-rr-signature", "x-rr-delivery-attempt"]) {
      expect(again?.headers[header], header).toBe(first?.headers[header]);
    }
    const [delivery] = await recorded(1, ({ attempts }) => attempts.length === 2);
    expect(delivery).toMatchObject({ status: "delivered", attempts: [{ attempt: 1 }, { attempt: 1 }] });
  });

  test("delivers a failed delivery to an endpoint that works again", async () => {
    const { caller, endpoints, id, receiver, recorded } = await aRecordedSubscriber((response) =>
      response.writeHead(410).end(),
    );
    const working = await aReceiver();
    await received(caller, aSubmission());
    const [first] = await receiver.waitFor(1);
    await recorded(1);

    const refused = await endpoints.resend(id, first?.event.id);
    await endpoints.update(id, { url: working.url, active: true });
    const taken = await endpoints.resend(id, first?.event.id);
    const [again] = await working.waitFor(1);

    expect([refused.status, refused.body["error"]]).toEqual([400, "invalid_request"]);
    expect(refused.body["message"]).toContain("active");
    expect(taken.status).toBe(202);
    expect(again?.body).toBe(first?.body);
  });

  test("is refused for a sample, and for a candidate that was erased", async () => {
    const { orgId, caller, endpoints, id, receiver, recorded } = await aRecordedSubscriber();
    const stagedId = await received(caller, aSubmission());
    const [first] = await receiver.waitFor(1);
    await endpoints.test(id);
    const [, sample] = await receiver.waitFor(2);
    await advance(orgId, stagedId, "erase");
    await receiver.waitFor(3);
    await recorded(3);

    for (const delivery of [first, sample]) {
      const response = await endpoints.resend(id, delivery?.event.id);
      expect([response.status, response.body["error"]]).toEqual([400, "invalid_request"]);
    }
  });

  test("that the endpoint never had, or of another organisation, gets a 404", async () => {
    const { endpoints, id, receiver, recorded } = await aRecordedSubscriber();
    const stranger = await aRecordedSubscriber();
    await endpoints.test(id);
    const [sample] = await receiver.waitFor(1);
    await recorded(1);
    const eventId = sample?.event.id;

    const responses = [
      await stranger.endpoints.resend(id, eventId),
      await stranger.endpoints.resend(stranger.id, eventId),
      await endpoints.resend(UNKNOWN_ENDPOINT_ID, eventId),
      ...(await Promise.all(
        [newEventId(runtime), "evt_1", "%23", "x".repeat(2_000)].map((unknown) =>
          endpoints.resend(id, unknown),
        ),
      )),
    ];

    for (const response of responses) {
      expect([response.status, response.body["error"]]).toEqual([404, "not_found"]);
    }
  });
});

test("waiting deliveries of an erased candidate are dropped except candidate.erased; a new one's are sent", async () => {
  const attemptOf = ({ headers }: Received) => Number(headers["x-rr-delivery-attempt"]);
  const { orgId, caller, receiver, recorded } = await aRecordedSubscriber((response, delivery) =>
    response.writeHead(attemptOf(delivery) === 1 ? 500 : 204).end(),
  );
  const submissions = [aSubmission(), aSubmission()] as const;
  const [gone, again] = await Promise.all([
    received(caller, submissions[0]),
    received(caller, submissions[1]),
  ]);
  await receiver.waitFor(2);
  await Promise.all([gone, again].map((handle) => advance(orgId, handle, "erase")));
  await received(caller, submissions[1]);

  const deliveries = await recorded(5, ({ status }) => status !== "pending");

  // The receiver need not have got all events: the second erasure may be over before its first attempt.
  const fired = async () =>
    (await caller.send({ method: "GET", path: "/v1/events" })).body["data"] as CandidateFeedEvent[];
  await expect.poll(fired).toHaveLength(5);
  const events = await fired();
  const outcomesOf = (stagedId: string) =>
    events
      .filter(({ data }) => data.stagedId === stagedId)
      .sort((left, right) => left.sequence - right.sequence)
      .map(({ id, type, sequence }) => {
        const { status, reason } = deliveries.find(({ eventId }) => eventId === id) ?? {};
        return [type, sequence, status, reason];
      });
  expect(outcomesOf(gone)).toEqual([
    ["candidate.received", 1, "dropped", "candidate_erased"],
    ["candidate.erased", 2, "delivered", undefined],
  ]);
  expect(outcomesOf(again)).toEqual([
    ["candidate.received", 1, "dropped", "candidate_erased"],
    ["candidate.erased", 2, "dropped", "candidate_erased"],
    ["candidate.received", 3, "delivered", undefined],
  ]);
  expect(receiver.deliveries.filter((delivery) => attemptOf(delivery) > 1)).toHaveLength(2);
});

describe("a path of the deliveries API", () => {
  const path = `/v1/webhook-endpoints/${UNKNOWN_ENDPOINT_ID}`;

  test.each([
    ["POST", "deliveries", "GET"],
    ["GET", `deliveries/${newEventId(runtime)}/resend`, "POST"],
    ["GET", "rotate-secret", "POST"],
  ])("responds to %s on %s with Allow: %s", async (method, rest, offered) => {
    const response = await aCaller().send({ method, path: `${path}/${rest}` });

    expect(response.status).toBe(405);
    expect(response.headers.allow).toBe(offered);
  });

  test("without an operation gets a 404", async () => {
    const response = await aCaller().send({
      method: "GET",
      path: `${path}/deliveries/${newEventId(runtime)}`,
    });

    expect(response.status).toBe(404);
  });
});
