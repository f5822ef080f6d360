import { describe, expect, test } from "vitest";
import { UNKNOWN_HANDLE } from "../builders/candidate.ts";
import { aDocument, aFullSubmission, aSubmission } from "../builders/submission.ts";
import { SENSITIVE_DOCUMENT_TYPES, SHARED_DOCUMENT_TYPES } from "../contract/bounds.ts";
import { PLATFORM_MEMBERS, recordMembersOf } from "../contract/expected-record.ts";
import { aCaller, received } from "./client.ts";
import { UNKNOWN_ENDPOINT_ID } from "./webhook-client.ts";

const caller = aCaller();

describe("getting a candidate", () => {
  test("by its handle gets a 200 with the record and an entity tag", async () => {
    const stagedId = await received(caller, aFullSubmission());

    const response = await caller.getCandidate(stagedId);

    expect(response.status).toBe(200);
    expect(response.headers["content-type"]).toMatch(/^application\/json/);
    expect(response.headers.etag).toMatch(/^"[^"]+"$/);
    expect(response.body["id"]).toBe(stagedId);
  });

  test("twice gives the same record and the same entity tag", async () => {
    const stagedId = await received(caller, aFullSubmission());

    const [first, second] = [await caller.getCandidate(stagedId), await caller.getCandidate(stagedId)];

    expect(second.text).toBe(first.text);
    expect(second.headers.etag).toBe(first.headers.etag);
  });

  test("returns exactly the contract's members", async () => {
    const body = aFullSubmission();

    const { body: record } = await caller.getCandidate(await received(caller, body));

    expect(Object.keys(record).sort()).toEqual(
      [...Object.keys(recordMembersOf(body)), ...PLATFORM_MEMBERS].sort(),
    );
  });

  test("returns no member that the contract excludes", async () => {
    const body = aFullSubmission({
      email: "canary@example.com",
      phone: "canary-phone",
      dateOfBirth: "1901-02-03",
      gender: "non_binary",
      address: { line1: "canary-street", city: "canary-city", country: "ZW" },
      source: { provider: "canary-provider", campaign: "canary-campaign" },
      referees: [{ name: "canary-name", email: "canary-referee@example.com" }],
      consents: [{ type: "background_check", granted: true, policyVersion: "canary-policy" }],
      documents: SENSITIVE_DOCUMENT_TYPES.map((documentType) =>
        aDocument({ documentType, label: "canary-label" }),
      ),
    });

    const response = await caller.getCandidate(await received(caller, body));

    expect(response.body["documents"]).toEqual([]);
    expect(response.text).not.toMatch(/canary|1901-02-03|non_binary|"ZW"|background_check|consent/i);
  });

  test("returns all documents that are not sensitive, in the order sent", async () => {
    const documents = [...SENSITIVE_DOCUMENT_TYPES, ...SHARED_DOCUMENT_TYPES].map((documentType) =>
      aDocument({ documentType }),
    );

    const { body: record } = await caller.getCandidate(await received(caller, aSubmission({ documents })));

    expect(
      (record["documents"] as { documentType: string }[]).map(({ documentType }) => documentType),
    ).toEqual([...SHARED_DOCUMENT_TYPES]);
  });
});

describe("an unknown handle gets the same 404 in every case:", () => {
  test.each([
    ["of the right form that was never given", UNKNOWN_HANDLE],
    ["of the canonical form that was never given", UNKNOWN_HANDLE.replace("staged_", "cand_")],
    ["too short", UNKNOWN_HANDLE.slice(0, -1)],
    ["too long", `${UNKNOWN_HANDLE}0`],
    ["in capitals", UNKNOWN_HANDLE.toUpperCase()],
    ["without its prefix", UNKNOWN_HANDLE.slice(7)],
    ["of another kind", UNKNOWN_ENDPOINT_ID],
    ["that is a path", "../candidates"],
    ["that is a key of the table", "CANDIDATE#acme#x"],
    ["with a null character", `${UNKNOWN_HANDLE}\u0000`],
    ["with a line feed", `${UNKNOWN_HANDLE}\n`],
    ["with a space", `${UNKNOWN_HANDLE} `],
    ["that is an emoji", "\u{1F600}"],
    ["of 4,000 characters", "x".repeat(4_000)],
    ["named like what every object has", "__proto__"],
  ])("a handle %s", async (_what, id) => {
    const [reference, response] = [await caller.getCandidate(UNKNOWN_HANDLE), await caller.getCandidate(id)];

    expect(response.status).toBe(404);
    expect(response.body).toEqual(reference.body);
    expect(response.body["error"]).toBe("not_found");
  });

  test("the canonical handle before promotion", async () => {
    const stagedId = await received(caller, aSubmission());

    const response = await caller.getCandidate(stagedId.replace("staged_", "cand_"));

    expect(response.status).toBe(404);
    expect(response.body).toEqual((await caller.getCandidate(UNKNOWN_HANDLE)).body);
  });

  test.each(["%ZZ", "%", "%ED%A0%80", "%FF", "%00", "%2e%2e", "%2F"])(
    "a handle that is malformed in the path: %s",
    async (id) => {
      const response = await caller.send({ method: "GET", path: `/v1/candidates/${id}` });

      expect(response.status).toBeOneOf([400, 404]);
    },
  );
});
