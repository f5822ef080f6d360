import { beforeAll, describe, expect, test } from "vitest";
import { PLATFORM_TRANSITIONS, type PlatformTransition } from "#contract/platform-transition";
import { UNKNOWN_HANDLE } from "../builders/candidate.ts";
import { anExternalId, aSubmission, documentsOf } from "../builders/submission.ts";
import { type Caller, eightAtATime, received, send } from "./client.ts";
import { JSON_TYPE } from "./messages.ts";
import { anOrganisation, type Organisation } from "./platform.ts";
import { aReceiver } from "./receiver.ts";
import { registered } from "./webhook-client.ts";

const canonical = (stagedId: string) => stagedId.replace("staged_", "cand_");
const reasons = [{ code: "cv_unreadable", message: "The CV could not be opened." }];

let organisation: Organisation;
let caller: Caller;
beforeAll(async () => {
  organisation = await anOrganisation();
  caller = organisation.caller;
});

/** Performs a transition in the sandbox; its `reasons` are those of `fail-validation`. */
function advance(id: string, transition: PlatformTransition, by = caller) {
  return request(
    id,
    transition,
    transition === "fail-validation" ? JSON.stringify({ reasons }) : undefined,
    by,
  );
}

function request(id: string, transition: string, body?: string, by = caller) {
  const path = `/v1/sandbox/candidates/${encodeURIComponent(id)}/${transition}`;
  return by.send({ method: "POST", path, ...(body !== undefined && { headers: JSON_TYPE, body }) });
}

async function statusesOf(stagedId: string) {
  const { status, verificationStatus, availabilityStatus } = (await caller.getCandidate(stagedId)).body;
  return [status, verificationStatus, availabilityStatus];
}

describe("a candidate in the sandbox", () => {
  test("goes through its whole lifecycle with the integrator's key alone, with the platform's events", async () => {
    const receiver = await aReceiver();
    const types = ["received", "validation_failed", "verified", "promoted", "consent_revoked", "erased"];
    await registered(
      caller,
      receiver.url,
      types.map((type) => `candidate.${type}`),
    );
    const stagedId = await received(caller, aSubmission());

    for (const [transition, statuses] of [
      ["fail-validation", ["validation_failed", "in_review", "pending"]],
      ["verify", ["verified", "verified", "pending"]],
      ["promote", ["promoted", "verified", "available"]],
      ["revoke-consent", [undefined, undefined, undefined]],
      ["erase", [undefined, undefined, undefined]],
    ] as const) {
      const response = await advance(stagedId, transition);

      expect([response.status, response.text], transition).toEqual([204, ""]);
      expect(await statusesOf(stagedId), transition).toEqual(statuses);
    }
    expect((await caller.getCandidate(stagedId)).body["error"]).toBe("not_found");
    const events = (await receiver.waitFor(6)).map(({ event }) => event);
    const inOrder = events.toSorted((left, right) => Number(left.sequence) - Number(right.sequence));
    expect(inOrder.map(({ type, sequence }) => [type, sequence])).toEqual(
      types.map((type, index) => [`candidate.${type}`, index + 1]),
    );
    expect(inOrder[1]?.data).toMatchObject({ stagedId, reasons });
  });

  test("is found by both handles, the canonical one from promotion on", async () => {
    const stagedId = await received(caller, aSubmission());

    expect((await advance(canonical(stagedId), "verify")).body["error"]).toBe("not_found");
    expect((await advance(stagedId, "promote")).status).toBe(204);
    expect((await advance(canonical(stagedId), "verify")).status).toBe(204);
    expect(await statusesOf(stagedId)).toEqual(["promoted", "verified", "available"]);
  });

  test.each(PLATFORM_TRANSITIONS)("does not exist for %s once it is erased", async (transition) => {
    const stagedId = await received(caller, aSubmission());
    await advance(stagedId, "erase");

    const { status, body } = await advance(stagedId, transition);

    expect([status, body]).toEqual([404, (await caller.getCandidate(stagedId)).body]);
  });

  const REPEATABLE = PLATFORM_TRANSITIONS.filter((transition) => transition !== "erase");
  test.each(REPEATABLE)("is not changed by a second %s, which is a success", async (transition) => {
    const stagedId = await received(caller, aSubmission());
    await advance(stagedId, transition);
    const before = await caller.getCandidate(stagedId);

    expect((await advance(stagedId, transition)).status).toBe(204);
    expect((await caller.getCandidate(stagedId)).text).toBe(before.text);
  });

  test("keeps its status if a transition is not allowed, and the message says what to do", async () => {
    const [promoted, frozen] = await Promise.all(
      (["promote", "revoke-consent"] as const).map(async (transition) => {
        const stagedId = await received(caller, aSubmission());
        await advance(stagedId, transition);
        return stagedId;
      }),
    );
    const refusals = [
      [promoted, "fail-validation", "Use a candidate that is not promoted."],
      [frozen, "verify", "Amend the candidate with consentGiven true first."],
      [frozen, "promote", "Amend the candidate with consentGiven true first."],
      [frozen, "fail-validation", "Amend the candidate with consentGiven true first."],
    ] as const;

    for (const [id = "", transition, remedy] of refusals) {
      const { status, body } = await advance(id, transition);
      expect([status, body["error"]], transition).toEqual([400, "invalid_request"]);
      expect(body["message"]).toContain(`${transition} is not allowed`);
      expect(body["message"]).toContain(remedy);
    }
    expect(await statusesOf(promoted ?? "")).toEqual(["promoted", "in_review", "available"]);
    expect((await caller.amendCandidate(frozen, { consentGiven: true })).body["status"]).toBe("received");
  });

  test("is rejected for other reasons again, and erased, also if it is too large for one item", async () => {
    const stagedId = await received(caller, aSubmission({ documents: documentsOf(400_000) }));
    const long = { code: "x".repeat(64), message: "€".repeat(500) };
    const body = JSON.stringify({ reasons: Array.from({ length: 50 }, () => long) });

    expect((await advance(stagedId, "fail-validation")).status).toBe(204);
    expect((await request(stagedId, "fail-validation", body)).status).toBe(204);
    expect((await advance(stagedId, "erase")).status).toBe(204);
    expect((await caller.getCandidate(stagedId)).status).toBe(404);
  });
});

describe("the sandbox has for an unknown candidate or transition the contract's 404:", () => {
  test("another organisation's candidate, which it does not change", async () => {
    const stranger = await anOrganisation();
    const stagedId = await received(caller, aSubmission());
    const never = await advance(UNKNOWN_HANDLE, "verify", stranger.caller);

    for (const transition of PLATFORM_TRANSITIONS) {
      const response = await advance(stagedId, transition, stranger.caller);
      expect([response.status, response.body]).toEqual([404, never.body]);
    }
    expect(await statusesOf(stagedId)).toEqual(["received", "in_review", "pending"]);
  });

  test.each(["staged_", UNKNOWN_HANDLE.toUpperCase(), `${UNKNOWN_HANDLE}0`, "whe_1", "__proto__", "😀"])(
    "a malformed handle %j",
    async (handle) => {
      const response = await advance(handle, "verify");
      expect([response.status, response.body["error"]]).toEqual([404, "not_found"]);
    },
  );

  test.each(["score", "restore-consent", "received", "VERIFY", "__proto__", "verify%20"])(
    "the transition %s",
    async (transition) => {
      const stagedId = await received(caller, aSubmission());

      const response = await request(stagedId, transition);

      expect([response.status, response.body["error"]]).toEqual([404, "not_found"]);
      expect(response.body["message"]).toBe(
        "There is no such transition. The transitions are verify, promote, fail-validation, revoke-consent, erase.",
      );
      expect(await statusesOf(stagedId)).toEqual(["received", "in_review", "pending"]);
    },
  );
});

describe("a transition in the sandbox", () => {
  test.each(["verify", "promote", "revoke-consent", "erase"])(
    "%s accepts {} as its body",
    async (transition) => {
      const stagedId = await received(caller, aSubmission());

      expect((await request(stagedId, transition, "{}")).status).toBe(204);
    },
  );

  test("with a body other than its own is refused without repeating it, and changes nothing", async () => {
    const stagedId = await received(caller, aSubmission());
    const secret = anExternalId();
    const bodies: [string, string, RegExp][] = [
      ["verify", JSON.stringify({ reasons }), /^reasons: only fail-validation has reasons/],
      ["erase", JSON.stringify({ externalId: secret }), /^externalId: no member of this name/],
      ["promote", "null", /^body: /],
      ["promote", "[]", /^body: /],
      ["promote", "{", /^body: /],
      ["fail-validation", "{}", /^reasons: an array of 1 to 50 items is required/],
      ["fail-validation", '{"reasons":null}', /^reasons: /],
      ["fail-validation", '{"reasons":[]}', /^reasons: an array of 1 to 50 items is expected/],
      [
        "fail-validation",
        JSON.stringify({ reasons: Array(51).fill(reasons[0]) }),
        /^reasons: an array of 1 to 50 items is expected/,
      ],
      ["fail-validation", `{"reasons":[{"code":"${secret}!","message":"x"}]}`, /^reasons\[0\]\.code: /],
      ["fail-validation", '{"reasons":[{"code":"x","message":""}]}', /^reasons\[0\]\.message: /],
      [
        "fail-validation",
        '{"reasons":[{"code":"x","message":"\\ud83d"}]}',
        /^reasons\[0\]\.message: .* surrogates/,
      ],
      [
        "fail-validation",
        '{"reasons":["a"]}',
        /^reasons\[0\]: an object with a code .* and a message .* is expected/,
      ],
    ];

    const responses = await eightAtATime(bodies, ([transition, body]) => request(stagedId, transition, body));

    for (const [index, [transition, body, message]] of bodies.entries()) {
      const response = responses[index];
      expect([response?.status, response?.body["error"]], body).toEqual([400, "invalid_request"]);
      expect(response?.body["message"], `${transition} ${body}`).toMatch(message);
      expect(response?.text).not.toContain(secret);
    }
    expect((await request(stagedId, "fail-validation")).body["message"]).toMatch(/^reasons: /);
    expect(await statusesOf(stagedId)).toEqual(["received", "in_review", "pending"]);
  });

  test("eight times concurrently fires one event", async () => {
    const { caller } = await anOrganisation();
    const receiver = await aReceiver();
    await registered(caller, receiver.url, ["candidate.promoted", "candidate.verified"]);
    const stagedId = await received(caller, aSubmission());

    const responses = await Promise.all(
      Array.from({ length: 8 }, () => advance(stagedId, "promote", caller)),
    );
    await advance(stagedId, "verify", caller);
    await receiver.waitFor(1, ({ event }) => event.type === "candidate.verified");
    const promotions = await receiver.waitFor(1, ({ event }) => event.type === "candidate.promoted");

    expect(responses.map(({ status }) => status)).toEqual(Array(8).fill(204));
    expect(promotions.map(({ event }) => event.sequence)).toEqual([2]);
  });

  test("without an API key gets a 401 and changes nothing", async () => {
    const stagedId = await received(caller, aSubmission());
    const path = `/v1/sandbox/candidates/${stagedId}/erase`;

    expect((await send({ method: "POST", path })).status).toBe(401);
    expect((await caller.getCandidate(stagedId)).status).toBe(200);
  });

  test.each(["GET", "PUT", "PATCH", "DELETE"])("by %s gets a 405 with Allow: POST", async (method) => {
    const response = await caller.send({ method, path: `/v1/sandbox/candidates/${UNKNOWN_HANDLE}/verify` });

    expect([response.status, response.headers.allow]).toEqual([405, "POST"]);
  });
});
