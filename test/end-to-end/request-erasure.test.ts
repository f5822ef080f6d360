import { describe, expect, test } from "vitest";
import { UNKNOWN_HANDLE } from "../builders/candidate.ts";
import { aFullSubmission, anExternalId, aSubmission, documentsOf } from "../builders/submission.ts";
import { aCaller, type Caller, eightAtATime, received, send } from "./client.ts";
import { JSON_TYPE } from "./messages.ts";
import { advance, anOrganisation } from "./platform.ts";
import { aReceiver } from "./receiver.ts";
import { registered } from "./webhook-client.ts";

const caller = aCaller();
const canonical = (stagedId: string) => stagedId.replace("staged_", "cand_");

/** A candidate that was just received, and what its partner knows it by. */
async function aReceivedCandidate(by: Caller = caller, body = aSubmission()) {
  return { stagedId: await received(by, body), externalId: body.externalId };
}

describe("requesting an erasure", () => {
  test("gets a 202 without a body, and the candidate is unknown from then on", async () => {
    const { stagedId, externalId } = await aReceivedCandidate(caller, aFullSubmission());

    const response = await caller.requestErasure(stagedId, { externalId });

    expect(response.status, response.text).toBe(202);
    expect(response.text).toBe("");
    const never = await caller.getCandidate(UNKNOWN_HANDLE);
    for (const afterwards of [
      await caller.getCandidate(stagedId),
      await caller.findCandidate(externalId),
      await caller.amendCandidate(stagedId, { headline: "Analyst of engines" }),
      await caller.amendCandidate(stagedId, { consentGiven: true }),
    ]) {
      expect(afterwards.status).toBe(404);
      expect(afterwards.body).toEqual(never.body);
    }
  });

  test("delivers candidate.erased without personal data", async () => {
    const { orgId, caller } = await anOrganisation();
    const receiver = await aReceiver();
    await registered(caller, receiver.url, ["candidate.erased"]);
    const { stagedId, externalId } = await aReceivedCandidate(caller);
    await advance(orgId, stagedId, "promote");

    await caller.requestErasure(stagedId, { externalId });
    const [erased] = await receiver.waitFor(1);

    expect(erased?.event).toMatchObject({ type: "candidate.erased", sequence: 3 });
    expect(erased?.event.data).toEqual({ stagedId, id: canonical(stagedId), status: "erased" });
    expect(erased?.body).not.toContain(externalId);
  });

  test("works by the canonical id after promotion", async () => {
    const { orgId, caller } = await anOrganisation();
    const { stagedId, externalId } = await aReceivedCandidate(caller);
    await advance(orgId, stagedId, "promote");

    expect((await caller.requestErasure(canonical(stagedId), { externalId })).status).toBe(202);
    for (const handle of [stagedId, canonical(stagedId)]) {
      expect((await caller.getCandidate(handle)).status).toBe(404);
    }
  });

  test("works while consent is withdrawn", async () => {
    const { stagedId, externalId } = await aReceivedCandidate();
    await caller.amendCandidate(stagedId, { consentGiven: false });

    expect((await caller.requestErasure(stagedId, { externalId })).status).toBe(202);
    expect((await caller.getCandidate(stagedId)).body["error"]).toBe("not_found");
  });

  test("works for a candidate that failed validation", async () => {
    const { orgId, caller } = await anOrganisation();
    const { stagedId, externalId } = await aReceivedCandidate(caller);
    const reasons = [{ code: "cv_unreadable", message: "The CV could not be opened." }];
    await advance(orgId, stagedId, "fail-validation", { reasons });

    expect((await caller.requestErasure(stagedId, { externalId })).status).toBe(202);
  });

  test("works for a candidate that is too large for one item", async () => {
    const body = aSubmission({ documents: documentsOf(400_000) });
    const { stagedId, externalId } = await aReceivedCandidate(caller, body);

    expect((await caller.requestErasure(stagedId, { externalId })).status).toBe(202);
    expect((await caller.getCandidate(stagedId)).status).toBe(404);
  });

  test("accepts any externalId that create accepts", async () => {
    for (const externalId of [`${anExternalId()}#/é😀`, ` ${anExternalId()} `, "😀".repeat(128)]) {
      const stagedId = await received(caller, aSubmission({ externalId }));

      expect((await caller.requestErasure(stagedId, { externalId })).status, externalId).toBe(202);
    }
  });

  test("allows the candidate to be created and erased again", async () => {
    const { caller } = await anOrganisation();
    const { stagedId, externalId } = await aReceivedCandidate(caller);
    await caller.requestErasure(stagedId, { externalId });

    const again = await caller.createCandidate(aSubmission({ externalId, firstName: "Augusta" }));

    expect(again.status).toBe(201);
    expect(again.headers["idempotent-replayed"]).toBeUndefined();
    expect(again.body["stagedId"]).toBe(stagedId);
    expect((await caller.getCandidate(stagedId)).body["firstName"]).toBe("Augusta");
    expect((await caller.requestErasure(stagedId, { externalId })).status).toBe(202);
    expect((await caller.getCandidate(stagedId)).status).toBe(404);
  });

  test("eight times concurrently erases once, with one event", async () => {
    const { caller } = await anOrganisation();
    const receiver = await aReceiver();
    await registered(caller, receiver.url, ["candidate.erased"]);
    const { stagedId, externalId } = await aReceivedCandidate(caller);

    const responses = await Promise.all(
      Array.from({ length: 8 }, () => caller.requestErasure(stagedId, { externalId })),
    );
    const later = await aReceivedCandidate(caller);
    await caller.requestErasure(later.stagedId, { externalId: later.externalId });
    await receiver.waitFor(1, ({ event }) => event.data["stagedId"] === later.stagedId);
    const events = await receiver.waitFor(1, ({ event }) => event.data["stagedId"] === stagedId);

    expect(responses.map(({ status }) => status).sort()).toEqual([202, ...Array(7).fill(404)]);
    expect(events.map(({ event }) => event.sequence)).toEqual([2]);
  });

  test("during amends leaves nothing of the amends", async () => {
    const { stagedId, externalId } = await aReceivedCandidate();

    const [erasure, ...amends] = await Promise.all([
      caller.requestErasure(stagedId, { externalId }),
      ...Array.from({ length: 6 }, () => caller.amendCandidate(stagedId, { headline: "Analyst of engines" })),
    ]);

    expect(erasure.status).toBe(202);
    for (const { status } of amends) expect(status).toBeOneOf([200, 404]);
    expect((await caller.getCandidate(stagedId)).body["error"]).toBe("not_found");
  });
});

describe("an erasure request with the wrong externalId", () => {
  test("is refused without repeating it, and changes nothing", async () => {
    const { stagedId, externalId } = await aReceivedCandidate();
    const other = await aReceivedCandidate();
    const before = await caller.getCandidate(stagedId);

    const responses = await eightAtATime(
      [other.externalId, externalId.toUpperCase(), ` ${externalId}`, externalId.slice(0, -1), stagedId],
      (wrong) => caller.requestErasure(stagedId, { externalId: wrong }),
    );

    for (const response of responses) {
      expect(response.status).toBe(400);
      expect(response.body).toEqual({
        error: "invalid_request",
        message: "externalId: the externalId of this candidate is expected",
      });
    }
    expect((await caller.getCandidate(stagedId)).text).toBe(before.text);
    expect((await caller.getCandidate(other.stagedId)).status).toBe(200);
  });

  test("is refused while consent is withdrawn, without mentioning consent", async () => {
    const { stagedId } = await aReceivedCandidate();
    await caller.amendCandidate(stagedId, { consentGiven: false });

    const response = await caller.requestErasure(stagedId, { externalId: anExternalId() });

    expect([response.status, response.body["error"]]).toEqual([400, "invalid_request"]);
    expect((await caller.getCandidate(stagedId)).body["error"]).toBe("consent_revoked");
  });
});

describe("an erasure request gets the same 404 for", () => {
  const never = (externalId: string) => caller.requestErasure(UNKNOWN_HANDLE, { externalId });

  test("a candidate already erased by request or by the platform, with any externalId", async () => {
    const { orgId, caller } = await anOrganisation();
    const requested = await aReceivedCandidate(caller);
    const erased = await aReceivedCandidate(caller);
    await caller.requestErasure(requested.stagedId, { externalId: requested.externalId });
    await advance(orgId, erased.stagedId, "erase");

    for (const { stagedId, externalId } of [requested, erased]) {
      for (const given of [externalId, anExternalId()]) {
        const response = await caller.requestErasure(stagedId, { externalId: given });

        expect(response.status).toBe(404);
        expect(response.body).toEqual((await never(given)).body);
      }
    }
  });

  test("a candidate of another organisation, which is kept", async () => {
    const stranger = await anOrganisation();
    const { stagedId, externalId } = await aReceivedCandidate();
    const before = await caller.getCandidate(stagedId);
    const theirs = await aReceivedCandidate(stranger.caller, aSubmission({ externalId }));

    const responses = [
      await stranger.caller.requestErasure(stagedId, { externalId }),
      await stranger.caller.requestErasure(stagedId, { externalId: anExternalId() }),
      await stranger.caller.requestErasure(canonical(stagedId), { externalId }),
    ];

    for (const response of responses) {
      expect(response.status).toBe(404);
      expect(response.body).toEqual((await never(externalId)).body);
    }
    expect((await caller.getCandidate(stagedId)).text).toBe(before.text);
    expect((await stranger.caller.getCandidate(theirs.stagedId)).status).toBe(200);
  });

  test("a canonical handle before promotion", async () => {
    const { stagedId, externalId } = await aReceivedCandidate();

    const response = await caller.requestErasure(canonical(stagedId), { externalId });

    expect(response.status).toBe(404);
    expect(response.body).toEqual((await never(externalId)).body);
    expect((await caller.getCandidate(stagedId)).status).toBe(200);
  });

  test.each(["staged_", UNKNOWN_HANDLE.toUpperCase(), `${UNKNOWN_HANDLE}0`, "whe_1", "__proto__", "😀"])(
    "a malformed handle %j",
    async (handle) => {
      const externalId = anExternalId();

      const response = await caller.requestErasure(handle, { externalId });

      expect(response.status).toBe(404);
      expect(response.body).toEqual((await never(externalId)).body);
    },
  );
});

describe("an erasure request with a body other than the externalId alone", () => {
  test("is refused, and changes nothing", async () => {
    const { stagedId, externalId } = await aReceivedCandidate();
    const id = JSON.stringify(externalId);
    const bodies: [string, RegExp][] = [
      ["", /^body: /],
      ["null", /^body: /],
      ["[]", /^body: /],
      [id, /^body: /],
      ["{", /^body: /],
      ["{}", /^externalId: /],
      ['{"externalId":null}', /^externalId: /],
      ['{"externalId":""}', /^externalId: /],
      ['{"externalId":42}', /^externalId: /],
      [`{"externalId":[${id}]}`, /^externalId: /],
      [`{"externalId":"${"x".repeat(129)}"}`, /^externalId: /],
      ['{"externalId":"\\ud83d"}', /^externalId: /],
      [`{"externalId":${id},"reason":"candidate asked for it"}`, /^reason: no member of this name/],
      [`{"externalId":${id},"__proto__":{}}`, /^__proto__: /],
      [`{"ExternalId":${id}}`, /ExternalId: no member of this name/],
    ];

    const responses = await eightAtATime(bodies, async ([body, message]) => ({
      body,
      message,
      response: await caller.send({
        method: "POST",
        path: `/v1/candidates/${stagedId}/erasure`,
        headers: JSON_TYPE,
        body,
      }),
    }));

    for (const { body, message, response } of responses) {
      expect(response.status, body).toBe(400);
      expect(response.body["error"], body).toBe("invalid_request");
      expect(response.body["message"], body).toMatch(message);
      expect(response.text, body).not.toContain(externalId);
    }
    expect((await caller.getCandidate(stagedId)).status).toBe(200);
  });

  test.each([
    [415, "unsupported_media_type", "text/plain", "{}"],
    [413, "payload_too_large", "application/json", " ".repeat(4 * 1024 * 1024 + 1)],
  ])("gets a %i %s, as from every operation with a body", async (status, error, type, body) => {
    const headers = [["Content-Type", type]] as const;

    const response = await caller.send({
      method: "POST",
      path: `/v1/candidates/${UNKNOWN_HANDLE}/erasure`,
      headers,
      body,
    });

    expect([response.status, response.body["error"]]).toEqual([status, error]);
  });
});

test("an erasure request without an API key gets a 401 and changes nothing", async () => {
  const { stagedId, externalId } = await aReceivedCandidate();

  const response = await send({
    method: "POST",
    path: `/v1/candidates/${stagedId}/erasure`,
    headers: JSON_TYPE,
    body: JSON.stringify({ externalId }),
  });

  expect(response.status).toBe(401);
  expect((await caller.getCandidate(stagedId)).status).toBe(200);
});

test.each(["GET", "PUT", "PATCH", "DELETE"])(
  "%s on an erasure request's path gets a 405 with Allow: POST",
  async (method) => {
    const response = await caller.send({ method, path: `/v1/candidates/${UNKNOWN_HANDLE}/erasure` });

    expect(response.status).toBe(405);
    expect(response.headers.allow).toBe("POST");
  },
);
