import { beforeAll, describe, expect, test } from "vitest";
import { aSubmission } from "../builders/submission.ts";
import { received } from "./client.ts";
import { aReceiver } from "./receiver.ts";
import { anIntegrator, registered, UNKNOWN_ENDPOINT_ID } from "./webhook-client.ts";

const URL = "https://hooks.example.com/candidates";

/** An endpoint as it is read, before anything is changed. */
async function anEndpoint() {
  const { caller, endpoints } = await anIntegrator();
  const { signingSecret: _, ...endpoint } = await registered(caller, URL, ["candidate.received"]);
  return { caller, endpoints, endpoint, id: endpoint.id };
}

describe("updating a webhook endpoint", () => {
  test.each<readonly [string, object]>([
    ["url", { url: "https://Other.example.com:443/a/../b?x=%7e" }],
    ["eventTypes", { eventTypes: ["candidate.erased", "candidate.promoted"] }],
    ["an extension event type", { eventTypes: ["candidate.erased", "candidate.consent_restored"] }],
    ["description", { description: "ours" }],
    ["active", { active: false }],
    [
      "all of them",
      { url: "https://other.example.com/", eventTypes: ["candidate.erased"], description: "", active: false },
    ],
    ["nothing", {}],
  ])("sets %s, keeps the rest, and returns the endpoint without its secret", async (_, update) => {
    const { endpoints, endpoint, id } = await anEndpoint();

    const response = await endpoints.update(id, update);

    expect(response.status, response.text).toBe(200);
    const disabled = { disabledAt: expect.any(String), disabledReason: "by_request" };
    expect(response.body).toEqual({ ...endpoint, ...update, ...("active" in update && disabled) });
    expect((await endpoints.get(id)).body).toEqual(response.body);
    expect((await endpoints.list()).body).toEqual({ data: [response.body] });
  });

  test("clears a description by null, and keeps a repeated event type once", async () => {
    const { endpoints, endpoint, id } = await anEndpoint();
    await endpoints.update(id, { description: "ours" });

    const { body } = await endpoints.update(id, {
      description: null,
      eventTypes: ["candidate.erased", "candidate.erased"],
    });

    expect(body).toEqual({ ...endpoint, description: null, eventTypes: ["candidate.erased"] });
  });

  test.each([{ active: false }, {}])(
    "of another organisation, deleted or never registered gets a 404: %j",
    async (update) => {
      const { endpoints, endpoint, id } = await anEndpoint();
      const stranger = await anIntegrator();
      expect((await stranger.endpoints.update(id, update)).status).toBe(404);
      expect((await endpoints.get(id)).body).toEqual(endpoint);

      await endpoints.delete(id);

      for (const unknown of [id, UNKNOWN_ENDPOINT_ID, "ENDPOINTS", "%23"]) {
        const response = await endpoints.update(unknown, update);
        expect([response.status, response.body["error"]]).toEqual([404, "not_found"]);
      }
      expect((await endpoints.list()).body).toEqual({ data: [] });
    },
  );

  test("concurrently in different members keeps all changes", async () => {
    const { endpoints, endpoint, id } = await anEndpoint();
    const updates = [
      { url: "https://other.example.com/" },
      { eventTypes: ["candidate.erased"] },
      { description: "ours" },
      { active: false },
    ];

    const responses = await Promise.all(updates.map((update) => endpoints.update(id, update)));

    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const disabled = { disabledAt: expect.any(String), disabledReason: "by_request" };
    expect((await endpoints.get(id)).body).toEqual(Object.assign({}, endpoint, disabled, ...updates));
  });

  test("concurrently with its deletion never restores it", async () => {
    const { endpoints, id } = await anEndpoint();

    const [deleted, ...updates] = await Promise.all([
      endpoints.delete(id),
      ...Array.from({ length: 20 }, (_, index) => endpoints.update(id, { description: `Racer ${index}` })),
    ]);

    expect(deleted.status).toBe(204);
    for (const { status } of updates) expect(status).toBeOneOf([200, 404]);
    expect((await endpoints.list()).body).toEqual({ data: [] });
  });

  test("is offered in addition to the contract's operations", async () => {
    const { caller, id } = await anEndpoint();

    const response = await caller.send({ method: "PUT", path: `/v1/webhook-endpoints/${id}` });

    expect(response.status).toBe(405);
    expect(response.headers.allow).toBe("DELETE, GET, PATCH");
  });
});

describe("updating a webhook endpoint refuses", () => {
  let unchanged: Awaited<ReturnType<typeof anEndpoint>>;
  beforeAll(async () => {
    unchanged = await anEndpoint();
  });

  test.each<readonly [string, unknown]>([
    ["an unknown member", { secret: "mine" }],
    ["a member that is not for callers to set", { createdAt: "2026-01-01T00:00:00Z" }],
    ["a url that is null", { url: null }],
    ["a url of http", { url: "http://hooks.example.com/" }],
    ["a private address", { url: "https://10.0.0.1/" }],
    ["a url with a password", { url: "https://user:secret@hooks.example.com/" }],
    ["event types that are null", { eventTypes: null }],
    ["an empty list of event types", { eventTypes: [] }],
    ["an unknown event type", { eventTypes: ["candidate.hired"] }],
    ["a description past its bound", { description: "x".repeat(501) }],
    ["active as a word", { active: "true" }],
    ["active as null", { active: null }],
    ["one bad member beside a good one", { active: false, description: 1 }],
    ["no object", []],
  ])("%s, and changes nothing", async (_, update) => {
    const { endpoints, endpoint, id } = unchanged;

    const response = await endpoints.update(id, update);

    expect(response.status, response.text).toBe(400);
    expect(response.body["error"]).toBe("invalid_request");
    expect(response.text).not.toContain("secret@");
    expect((await endpoints.get(id)).body).toEqual(endpoint);
  });
});

describe("deliveries after an update of their webhook endpoint", () => {
  test("go to the new url for the new event types, signed with the same secret", async () => {
    const { caller, endpoints } = await anIntegrator();
    const [before, after] = await Promise.all([aReceiver(), aReceiver()]);
    const { id } = await registered(caller, before.url, ["candidate.received", "candidate.consent_revoked"]);
    const stagedId = await received(caller, aSubmission());
    await before.waitFor(1);

    await endpoints.update(id, { url: after.url, eventTypes: ["candidate.consent_revoked"] });
    await received(caller, aSubmission());
    await caller.amendCandidate(stagedId, { consentGiven: false });
    const [delivery] = await after.waitFor(1);

    expect(delivery?.event).toMatchObject({ type: "candidate.consent_revoked", data: { stagedId } });
    expect([before.deliveries, after.deliveries].map(({ length }) => length)).toEqual([1, 1]);
  });

  test("resume once an endpoint that responded with 410 is active again", async () => {
    const { caller, endpoints } = await anIntegrator();
    const [gone, receiver] = await Promise.all([
      aReceiver((response) => response.writeHead(410).end()),
      aReceiver(),
    ]);
    const { id } = await registered(caller, gone.url);
    await received(caller, aSubmission());
    await expect.poll(async () => (await endpoints.get(id)).body["active"]).toBe(false);

    const { body } = await endpoints.update(id, { url: receiver.url, active: true });
    const stagedId = await received(caller, aSubmission());
    const [delivery] = await receiver.waitFor(1);

    expect(body).toMatchObject({ active: true, url: receiver.url });
    expect(delivery?.event.data["stagedId"]).toBe(stagedId);
  });
});
