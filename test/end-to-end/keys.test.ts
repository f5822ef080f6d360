import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { beforeAll, describe, expect, test } from "vitest";
import { generateApiKey } from "#api-keys/api-key";
import { UNKNOWN_HANDLE } from "../builders/candidate.ts";
import { aSubmission } from "../builders/submission.ts";
import { callerWith, received, send } from "./client.ts";
import { JSON_TYPE, type Response } from "./messages.ts";
import { advance, aFirstKey, anOrganisation, invoke, responseOf } from "./platform.ts";

/** One request to each operation, each with something else wrong with it: 401 comes first. */
const requests = [
  { method: "POST", path: "/v1/candidates", body: "not JSON", headers: [["Content-Type", "text/plain"]] },
  { method: "GET", path: "/v1/candidates", headers: [] },
  { method: "GET", path: `/v1/candidates/${UNKNOWN_HANDLE}`, headers: [] },
  {
    method: "PUT",
    path: `/v1/candidates/${UNKNOWN_HANDLE}`,
    body: "{",
    headers: JSON_TYPE,
  },
] as const;

/** A moment of this minute as no log spells it: the logs are searched for what a test sends. */
function inUtc(moment: number): string {
  return new Date(moment).toISOString().replace("Z", "+00:00");
}

function withKey(apiKey: string): Promise<Response[]> {
  return Promise.all(
    requests.map((request) => send({ ...request, headers: [...request.headers, ["X-API-Key", apiKey]] })),
  );
}

/** A key that expires while the tests before its own run, and the moment when it does. */
async function anExpiringKey() {
  // The first key has loaded the function that issues the second.
  const { orgId } = await anOrganisation();
  const expiresAt = Date.now() + 3_000;
  const key = await responseOf("issue-api-key", { orgId, name: "test", expiresAt: inUtc(expiresAt) });
  return { apiKey: String(key["apiKey"]), expiresAt };
}

let expiring: Awaited<ReturnType<typeof anExpiringKey>>;
let reference: Response;
beforeAll(async () => {
  expiring = await anExpiringKey();
  reference = await send({ method: "GET", path: `/v1/candidates/${UNKNOWN_HANDLE}` });
});

function expectUnauthorized(responses: readonly Response[]): void {
  for (const { status, body, headers } of responses) {
    expect(status).toBe(401);
    expect(body).toEqual(reference.body);
    expect(body["error"]).toBe("unauthorized");
    expect(headers["www-authenticate"]).toMatch(/\S/);
    expect(headers["www-authenticate"]).toBe(reference.headers["www-authenticate"]);
  }
}

describe("a request gets the same 401 in every case:", () => {
  test("without an API key", async () => {
    expectUnauthorized(await Promise.all(requests.map(send)));
  });

  const good = generateApiKey("development");
  test.each([
    ["empty", ""],
    ["malformed", "x"],
    ["the prefix alone", "rr_dev_"],
    ["mistyped", good.replace(/.$/, (last) => (last === "a" ? "b" : "a"))],
    ["well formed but never issued", good],
    ["of the production environment", generateApiKey("production")],
    ["a development key renamed for production", good.replace("rr_dev_", "rr_live_")],
    ["long", `rr_dev_${"x".repeat(4_000)}`],
    ["two keys in one", `${good}, ${good}`],
    ["a query for everything", "*"],
    ["of signs outside ASCII", Buffer.from("rr_dev_é").toString("latin1")],
  ])("with an API key that is %s", async (_what, apiKey) => {
    expectUnauthorized(await withKey(apiKey));
  });

  test("with two API keys, even if both are valid", async () => {
    const [{ apiKey }, { apiKey: another }] = await Promise.all([aFirstKey(), aFirstKey()]);
    const withKeys = (...keys: readonly unknown[]) =>
      send({
        method: "GET",
        path: "/v1/webhook-endpoints",
        headers: keys.map((key): [string, string] => ["X-API-Key", String(key)]),
      });

    expectUnauthorized([await withKeys(another, apiKey)]);
    // From now on API Gateway has the authorizer's result for this key.
    expect(await withKeys(apiKey)).toMatchObject({ status: 200 });
    for (const keys of [
      [another, apiKey],
      [apiKey, another],
    ]) {
      // API Gateway renames a function's WWW-Authenticate, so this 401 has none.
      expect(await withKeys(...keys)).toMatchObject({ status: 401, body: reference.body });
    }
  });

  test("with a revoked API key", async () => {
    const { keyId, apiKey } = await aFirstKey();
    await responseOf("revoke-api-key", { keyId });

    expectUnauthorized(await withKey(String(apiKey)));
  });

  test("with a valid API key anywhere but in X-API-Key", async () => {
    const { apiKey } = await aFirstKey();
    const path = `/v1/candidates/${UNKNOWN_HANDLE}`;

    expectUnauthorized([
      await send({ method: "GET", path, headers: [["Authorization", `Bearer ${apiKey}`]] }),
      await send({ method: "GET", path, headers: [["Cookie", `X-API-Key=${apiKey}`]] }),
      await send({ method: "GET", path: `${path}?X-API-Key=${apiKey}&api_key=${apiKey}` }),
    ]);
  });
});

describe("a valid API key", () => {
  test.each(["X-API-Key", "x-api-key", "X-API-KEY"])("is accepted in the header %s", async (name) => {
    const { apiKey } = await aFirstKey();

    const response = await send({
      method: "GET",
      path: `/v1/candidates/${UNKNOWN_HANDLE}`,
      headers: [[name, String(apiKey)]],
    });

    expect(response.status).toBe(404);
  });

  test("gives access to every operation, whichever it was first used for", async () => {
    for (const first of requests) {
      const { apiKey } = await aFirstKey();
      await send({ ...first, headers: [...first.headers, ["X-API-Key", String(apiKey)]] });

      const statuses = (await withKey(String(apiKey))).map(({ status }) => status);

      expect(statuses).toEqual([415, 400, 404, 400]);
    }
  });

  test("with an expiry time is accepted until then", async () => {
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    const { orgId } = await anOrganisation();
    const { apiKey } = await responseOf("issue-api-key", { orgId, name: "test", expiresAt });

    expect((await callerWith(String(apiKey)).getCandidate(UNKNOWN_HANDLE)).status).toBe(404);
  });

  test("sees the same candidates as another key of its organisation, so that keys can be rotated", async () => {
    const { orgId, caller } = await anOrganisation();
    const { apiKey } = await responseOf("issue-api-key", { orgId, name: "the next" });
    const submission = aSubmission();
    const stagedId = await received(caller, submission);

    const next = callerWith(String(apiKey));

    expect((await next.getCandidate(stagedId)).status).toBe(200);
    expect((await next.findCandidate(submission.externalId)).body["id"]).toBe(stagedId);
  });

  test("issued after all others were revoked yields the same handles, even after an erasure", async () => {
    const orgId = `org-${randomUUID()}`;
    const { keyId, apiKey: first } = await aFirstKey(orgId);
    const submission = aSubmission();
    const stagedId = await received(callerWith(String(first)), submission);
    await responseOf("revoke-api-key", { keyId });
    const { apiKey } = await responseOf("issue-api-key", { orgId, name: "the next" });
    await advance(orgId, stagedId, "erase");

    expect(await received(callerWith(String(apiKey)), submission)).toBe(stagedId);
  });
});

describe("API key administration", () => {
  test("returns a key only once, when it is issued", async () => {
    const orgId = `org-${randomUUID()}`;
    const issued = await aFirstKey(orgId);
    const second = await responseOf("issue-api-key", { orgId, name: "second key" });

    const listed = await responseOf("list-api-keys", { orgId });

    const { apiKey, ...first } = issued;
    expect(apiKey).toMatch(/^rr_dev_[0-9A-Za-z]{38}$/);
    expect(listed["data"]).toEqual([
      first,
      expect.objectContaining({ keyId: second["keyId"], name: "second key" }),
    ]);
    expect(JSON.stringify(listed)).not.toContain(String(apiKey));
  });

  test("creates no organisation for a mistyped id", async () => {
    const orgId = `org-${randomUUID()}`;

    const mistyped = await invoke("issue-api-key", { orgId, name: "test" });
    const listed = await responseOf("list-api-keys", { orgId });

    expect(mistyped).toMatchObject({
      errorMessage: `There is no organisation ${orgId}. Check its id, or set newOrganisation to create it with its first key.`,
    });
    expect(listed["data"]).toEqual([]);
  });

  test("refuses a new organisation with an existing id, even if its keys are revoked", async () => {
    const orgId = `org-${randomUUID()}`;
    const { keyId } = await aFirstKey(orgId);
    await responseOf("revoke-api-key", { keyId });

    const second = await invoke("issue-api-key", { orgId, newOrganisation: true, name: "test" });
    const listed = await responseOf("list-api-keys", { orgId });

    expect(second).toMatchObject({
      errorMessage: `newOrganisation: the organisation ${orgId} already exists. Omit newOrganisation to create another key for it, or choose another id.`,
    });
    expect(listed["data"]).toEqual([expect.objectContaining({ keyId })]);
  });

  test.each([
    ["a moment ago", () => inUtc(Date.now() - 1_000)],
    [
      "in another time zone's future",
      () => `${new Date(Date.now() - 1_000).toISOString().slice(0, -1)}+00:01`,
    ],
    ["years ago", () => "2001-01-01T00:00:00Z"],
  ])("issues no key that expired %s", async (_when, expiresAt) => {
    const { orgId } = await anOrganisation();

    const outcome = await invoke("issue-api-key", { orgId, name: "test", expiresAt: expiresAt() });
    const listed = await responseOf("list-api-keys", { orgId });

    expect(outcome).toMatchObject({ errorMessage: "expiresAt: a date-time in the future is expected" });
    expect(listed["data"]).toHaveLength(1);
  });

  test("shows when a key was last used", async () => {
    const { orgId, caller } = await anOrganisation();
    await responseOf("issue-api-key", { orgId, name: "never used" });
    const before = new Date().toISOString();
    await caller.getCandidate(UNKNOWN_HANDLE);

    const { data } = await responseOf("list-api-keys", { orgId });

    const [used, unused] = data as { lastUsedAt?: string }[];
    expect(used?.lastUsedAt && used.lastUsedAt >= before).toBe(true);
    expect(unused).not.toHaveProperty("lastUsedAt");
  });

  test("can revoke a key twice, and keeps the first time", async () => {
    const { keyId } = await aFirstKey();

    const first = await responseOf("revoke-api-key", { keyId });
    const second = await responseOf("revoke-api-key", { keyId });

    expect(first["revokedAt"]).toEqual(expect.any(String));
    expect(second["revokedAt"]).toBe(first["revokedAt"]);
  });

  test("reports an unknown key to revoke", async () => {
    const outcome = await invoke("revoke-api-key", { keyId: "key_00000000000000000000000000" });

    expect(outcome.errorType).toBe("not_found");
  });

  test.each([
    ["issue-api-key", {}],
    ["issue-api-key", { orgId: "acme" }],
    ["issue-api-key", { orgId: "Acme Ltd", name: "x" }],
    ["issue-api-key", { orgId: "a#b", name: "x" }],
    ["issue-api-key", { orgId: "", name: "x" }],
    ["issue-api-key", { orgId: "acme", name: "" }],
    ["issue-api-key", { orgId: "acme", name: "x", expiresAt: "tomorrow" }],
    ["issue-api-key", { orgId: "acme", name: "x", newOrganisation: "yes" }],
    ["issue-api-key", { orgId: "acme", name: "x", admin: true }],
    ["issue-api-key", null],
    ["revoke-api-key", { keyId: "x" }],
    ["revoke-api-key", {}],
    ["list-api-keys", {}],
  ])("is refused by %s for the input %j", async (name, payload) => {
    const outcome = await invoke(name, payload);

    expect(outcome.errorType).toBe("invalid_request");
  });

  test("refuses an expiry time on a leap second", async () => {
    const outcome = await invoke("issue-api-key", {
      orgId: "leap",
      name: "x",
      expiresAt: "2036-12-31T23:59:60Z",
    });

    expect(outcome).toMatchObject({
      errorType: "invalid_request",
      errorMessage: expect.stringContaining("expiresAt: a date-time without a leap second is expected"),
    });
  });
});

// Last, when it has expired.
test("a request gets the same 401 with an expired API key", async () => {
  await delay(Math.max(0, expiring.expiresAt - Date.now()));

  expectUnauthorized(await withKey(expiring.apiKey));
});
