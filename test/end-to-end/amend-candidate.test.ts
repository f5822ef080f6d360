import { describe, expect, test } from "vitest";
import { UNKNOWN_HANDLE } from "../builders/candidate.ts";
import { type AmendmentBody, aDocument, aFullSubmission, aSubmission } from "../builders/submission.ts";
import { AMENDABLE, NOT_AMENDABLE } from "../contract/bounds.ts";
import { amendmentCases, oneOfEach } from "../contract/cases.ts";
import { recordMembersOf } from "../contract/expected-record.ts";
import { aCaller, eightAtATime, received } from "./client.ts";
import type { Response } from "./messages.ts";

const caller = aCaller();

/** Another valid value of every member that amend takes. */
const ANOTHER = {
  firstName: "Grace",
  middleName: "Brewster",
  preferredName: "Amazing",
  lastName: "Hopper",
  headline: "Rear admiral",
  summary: "Found the first bug.",
  phone: "+1 202 555 0100",
  consentGiven: true,
  address: { country: "US" },
  jobPreferences: { desiredTitles: ["Admiral"] },
  skills: [{ name: "COBOL", yearsExperience: 30 }],
  workHistory: [{ employer: "Navy", jobTitle: "Admiral", startDate: "1943-12-01" }],
  education: [{ institution: "Yale" }],
  languages: [{ language: "French", proficiency: "basic" }],
  workEligibility: [{ country: "US", status: "citizen" }],
  documents: [aDocument({ documentType: "portfolio" })],
  links: [{ type: "website", url: "https://hopper.example/" }],
  media: [{ kind: "audio", assetKey: "k" }],
  assessments: [{ name: "Compilers", status: "scheduled" }],
  consents: [{ type: "marketing", granted: false }],
} satisfies Required<AmendmentBody>;

/** What changes with every write, whatever it writes. */
function withoutTime({ body }: Response) {
  const { updatedAt: _, ...record } = body;
  return record;
}

describe("amending a candidate", () => {
  test.each(AMENDABLE)("replaces %s as a whole and keeps all other members", async (member) => {
    const body = aFullSubmission();
    const stagedId = await received(caller, body);
    const before = await caller.getCandidate(stagedId);

    const amended = await caller.amendCandidate(stagedId, { [member]: ANOTHER[member] });

    const after = await caller.getCandidate(stagedId);
    const expected = recordMembersOf({ ...body, [member]: ANOTHER[member] });
    expect(amended.status, amended.text).toBe(200);
    expect(amended.text).toBe(after.text);
    expect(amended.headers.etag).toBe(after.headers.etag);
    expect(withoutTime(after)).toEqual({ ...withoutTime(before), ...expected });
  });

  test("of all members at once replaces them all", async () => {
    const body = aFullSubmission();
    const stagedId = await received(caller, body);

    const amended = await caller.amendCandidate(stagedId, ANOTHER);

    expect(amended.body).toMatchObject(recordMembersOf({ ...body, ...ANOTHER }));
  });

  test.each([
    "skills",
    "workHistory",
    "education",
    "languages",
    "workEligibility",
    "documents",
    "links",
    "media",
    "assessments",
    "consents",
  ])("with an empty list clears %s", async (member) => {
    const body = aFullSubmission();
    const stagedId = await received(caller, body);

    const amended = await caller.amendCandidate(stagedId, { [member]: [] });

    expect(amended.status).toBe(200);
    expect(amended.body).toMatchObject(recordMembersOf({ ...body, [member]: [] }));
  });

  test.each(["middleName", "preferredName", "headline", "summary"])("with null clears %s", async (member) => {
    const stagedId = await received(caller, aFullSubmission());

    const amended = await caller.amendCandidate(stagedId, { [member]: null });

    expect(amended.status).toBe(200);
    expect(amended.body[member]).toBeNull();
  });

  test.each(["middleName", "preferredName", "headline", "summary"])(
    "with an empty string keeps it as %s",
    async (member) => {
      const stagedId = await received(caller, aFullSubmission());

      expect((await caller.amendCandidate(stagedId, { [member]: "" })).body[member]).toBe("");
    },
  );

  test("replaces job preferences as a whole, the salary expectation included", async () => {
    const stagedId = await received(caller, aFullSubmission());

    const amended = await caller.amendCandidate(stagedId, { jobPreferences: {} });

    expect(amended.body["jobPreferences"]).toEqual({
      desiredTitles: [],
      employmentTypes: [],
      preferredCountries: [],
    });
  });

  test("with an empty object changes nothing, the entity tag included", async () => {
    const stagedId = await received(caller, aFullSubmission());
    const before = await caller.getCandidate(stagedId);

    const amended = await caller.amendCandidate(stagedId, {});

    expect(amended.status).toBe(200);
    expect(amended.text).toBe(before.text);
    expect(amended.headers.etag).toBe(before.headers.etag);
    expect((await caller.getCandidate(stagedId)).text).toBe(before.text);
  });

  test("moves updatedAt forward with each write, even of an unchanged value", async () => {
    const stagedId = await received(caller, aSubmission());
    const times = [String((await caller.getCandidate(stagedId)).body["updatedAt"])];

    for (const firstName of ["Grace", "Grace", "Ada", "Grace"]) {
      times.push(String((await caller.amendCandidate(stagedId, { firstName })).body["updatedAt"]));
    }

    expect(times).toEqual([...new Set(times)].sort());
  });

  test("returns no member that the record excludes, even if it was just written", async () => {
    const stagedId = await received(caller, aSubmission());

    const amended = await caller.amendCandidate(stagedId, {
      phone: "canary",
      address: { line1: "canary", country: "ZW" },
      consents: [{ type: "marketing", granted: true, policyVersion: "canary" }],
      documents: [aDocument({ documentType: "identity_document", label: "canary" })],
    });

    expect(amended.status).toBe(200);
    expect(amended.text).not.toMatch(/canary|ZW/);
    expect(amended.body["documents"]).toEqual([]);
  });

  test("by an unknown handle gets a 404", async () => {
    const unknown = await caller.amendCandidate(UNKNOWN_HANDLE, { firstName: "Grace" });
    const malformed = await caller.amendCandidate("x", { firstName: "Grace" });

    expect(unknown.status).toBe(404);
    expect(malformed.status).toBe(404);
    expect(malformed.body).toEqual(unknown.body);
    expect(unknown.body["error"]).toBe("not_found");
  });

  test("by an unknown handle creates nothing, even with an empty body", async () => {
    const neverGiven = "staged_zzzzzzzzzzzzzzzzzzzzzzzzzw";

    expect((await caller.amendCandidate(neverGiven, {})).status).toBe(404);
    expect((await caller.amendCandidate(neverGiven, { consentGiven: true })).status).toBe(404);
    expect((await caller.getCandidate(neverGiven)).status).toBe(404);
  });

  test("by the canonical handle gets a 404 before promotion", async () => {
    const stagedId = await received(caller, aSubmission());

    const response = await caller.amendCandidate(stagedId.replace("staged_", "cand_"), {
      firstName: "Grace",
    });

    expect(response.status).toBe(404);
    expect((await caller.getCandidate(stagedId)).body["firstName"]).toBe("Adelaide");
  });
});

describe("an invalid amend is refused and changes nothing:", () => {
  test.each(NOT_AMENDABLE)("with %s, which amend does not accept", async (member) => {
    const body = aFullSubmission();
    const stagedId = await received(caller, body);
    const before = await caller.getCandidate(stagedId);

    const response = await caller.amendCandidate(stagedId, { firstName: "Grace", [member]: body[member] });

    expect(response.status).toBe(400);
    expect(response.body["message"]).toMatch(new RegExp(`^${member}: `));
    expect((await caller.getCandidate(stagedId)).text).toBe(before.text);
  });

  test.each([
    { id: "x" },
    { status: "promoted" },
    { updatedAt: "2026-01-01T00:00:00Z" },
    { workReadinessScore: 100 },
    { promotedAt: "2026-01-01T00:00:00Z" },
    { statusBeforeRevocation: "promoted" },
    { pk: "x" },
    { event: {} },
    { nickname: "x" },
  ])("with %j, which is unknown or only set by the service", async (members) => {
    const stagedId = await received(caller, aSubmission());
    const before = await caller.getCandidate(stagedId);

    const response = await caller.amendCandidate(stagedId, { firstName: "Grace", ...members });

    expect(response.status).toBe(400);
    expect((await caller.getCandidate(stagedId)).text).toBe(before.text);
  });

  test.each([
    "firstName",
    "lastName",
    "phone",
    "consentGiven",
    "address",
    "jobPreferences",
    "skills",
    "documents",
  ])("with null for %s, which cannot be cleared", async (member) => {
    const stagedId = await received(caller, aFullSubmission());
    const before = await caller.getCandidate(stagedId);

    const response = await caller.amendCandidate(stagedId, { headline: "new", [member]: null });

    expect(response.status).toBe(400);
    expect((await caller.getCandidate(stagedId)).text).toBe(before.text);
  });

  test("with one invalid member among valid ones", async () => {
    const stagedId = await received(caller, aFullSubmission());
    const before = await caller.getCandidate(stagedId);

    const response = await caller.amendCandidate(stagedId, { ...ANOTHER, lastName: "" });

    expect(response.status).toBe(400);
    expect(response.body["message"]).toMatch(/^lastName: /);
    expect((await caller.getCandidate(stagedId)).text).toBe(before.text);
  });
});

describe("an amend", () => {
  // Every bound is judged where the schemas are tested, and reads back in
  // test/candidates/store/item/candidate-item.test.ts. A case of either kind for each member shows here that amend is
  // held to them.
  const cases = oneOfEach(amendmentCases());

  test.each(cases.filter(({ accepted }) => accepted))("may have at $path $what", async ({ body }) => {
    const full = aFullSubmission();
    const stagedId = await received(caller, full);

    const amended = await caller.amendCandidate(stagedId, body);

    expect(amended.status, amended.text).toBe(200);
    expect(amended.body).toMatchObject(recordMembersOf({ ...full, ...body }));
  });

  test("past a bound is refused with the member's name, and changes nothing", async () => {
    const stagedId = await received(caller, aFullSubmission());
    const before = await caller.getCandidate(stagedId);
    const refused = cases.filter(({ accepted }) => !accepted);

    const responses = await eightAtATime(refused, ({ body }) => caller.amendCandidate(stagedId, body));

    expect(refused.map(({ member }) => member)).toEqual(AMENDABLE);
    for (const [index, { member, path, what }] of refused.entries()) {
      expect(responses[index]?.status, `${path} = ${what}`).toBe(400);
      expect(responses[index]?.body["message"], `${path} = ${what}`).toContain(member);
    }
    expect((await caller.getCandidate(stagedId)).text).toBe(before.text);
  });
});

describe("documents in an amend", () => {
  test("replace the visible documents, with or without sensitive ones in the body", async () => {
    const stagedId = await received(
      caller,
      aSubmission({ documents: [aDocument({ documentType: "right_to_work" }), aDocument({ label: "old" })] }),
    );

    for (const sensitive of [[], [aDocument({ documentType: "police_clearance" })]]) {
      const amended = await caller.amendCandidate(stagedId, {
        documents: [...sensitive, aDocument({ label: "new" })],
      });

      expect(amended.body["documents"]).toMatchObject([{ documentType: "cv", label: "new" }]);
    }
    expect((await caller.amendCandidate(stagedId, { documents: [] })).body["documents"]).toEqual([]);
  });

  test("that are read and written back change nothing", async () => {
    const stagedId = await received(caller, aFullSubmission());
    const before = await caller.getCandidate(stagedId);
    const amendable = Object.entries(before.body).filter(([member]) => AMENDABLE.includes(member as never));

    const amended = await caller.amendCandidate(stagedId, Object.fromEntries(amendable));

    expect(amended.status).toBe(200);
    expect(withoutTime(amended)).toEqual(withoutTime(before));
  });
});

describe("consent", () => {
  test("withdrawn gets a 200 with the record, to which the body's other members are applied", async () => {
    const stagedId = await received(caller, aFullSubmission());

    const response = await caller.amendCandidate(stagedId, { consentGiven: false, firstName: "Grace" });

    expect(response.status).toBe(200);
    expect(response.body).toMatchObject({
      id: stagedId,
      firstName: "Grace",
      status: "consent_revoked",
      availabilityStatus: "pending",
      verificationStatus: "in_review",
    });
  });

  test("withdrawn freezes reads and amends: they get a 404 consent_revoked", async () => {
    const body = aFullSubmission();
    const stagedId = await received(caller, body);
    await caller.amendCandidate(stagedId, { consentGiven: false });

    const responses = [
      await caller.getCandidate(stagedId),
      await caller.findCandidate(body.externalId),
      await caller.amendCandidate(stagedId, { firstName: "Grace" }),
      await caller.amendCandidate(stagedId, {}),
      await caller.amendCandidate(stagedId, { consentGiven: false }),
    ];

    expect(responses.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404]);
    expect(new Set(responses.map(({ body: { error } }) => error))).toEqual(new Set(["consent_revoked"]));
    for (const { text } of responses) expect(text).not.toMatch(/Adelaide|Lovelace|Grace/);
  });

  test("for a purpose, an entry of `consents`, neither freezes nor restores access", async () => {
    const consents = (granted: boolean) => [{ type: "data_processing" as const, granted }];
    const stagedId = await received(caller, aSubmission({ consents: consents(false) }));

    const read = await caller.getCandidate(stagedId);
    const amended = await caller.amendCandidate(stagedId, { consents: consents(false) });
    await caller.amendCandidate(stagedId, { consentGiven: false });
    const frozen = await caller.amendCandidate(stagedId, { consents: consents(true) });

    expect([read.status, amended.status, frozen.status]).toEqual([200, 200, 404]);
    expect(frozen.body["error"]).toBe("consent_revoked");
  });

  test("withdrawn still lets a repeated create return the original receipt", async () => {
    const body = aSubmission();
    const first = await caller.createCandidate(body);
    await caller.amendCandidate(first.body["stagedId"], { consentGiven: false });

    const again = await caller.createCandidate(body);

    expect(again.status).toBe(201);
    expect(again.body).toEqual(first.body);
    expect(again.headers["idempotent-replayed"]).toBe("true");
    expect((await caller.getCandidate(first.body["stagedId"])).status).toBe(404);
  });

  test("given again restores the record, to which the body's other members are applied", async () => {
    const body = aFullSubmission();
    const stagedId = await received(caller, body);
    const before = await caller.getCandidate(stagedId);
    await caller.amendCandidate(stagedId, { consentGiven: false });

    const restored = await caller.amendCandidate(stagedId, { consentGiven: true, headline: "Back" });

    expect(restored.status).toBe(200);
    expect(withoutTime(restored)).toEqual({ ...withoutTime(before), headline: "Back" });
    expect((await caller.getCandidate(stagedId)).text).toBe(restored.text);
  });

  test("withdrawn and given twice leaves the record as it was", async () => {
    const stagedId = await received(caller, aSubmission());
    const before = await caller.getCandidate(stagedId);

    for (const consentGiven of [false, true, true, false, true]) {
      expect((await caller.amendCandidate(stagedId, { consentGiven })).status).toBe(200);
    }

    expect(withoutTime(await caller.getCandidate(stagedId))).toEqual(withoutTime(before));
  });

  test("given although never withdrawn changes only updatedAt", async () => {
    const stagedId = await received(caller, aSubmission());
    const before = await caller.getCandidate(stagedId);

    const response = await caller.amendCandidate(stagedId, { consentGiven: true });

    expect(response.status).toBe(200);
    expect(withoutTime(response)).toEqual(withoutTime(before));
  });

  test("is not restored by an invalid amend", async () => {
    const stagedId = await received(caller, aSubmission());
    await caller.amendCandidate(stagedId, { consentGiven: false });

    const invalid = await caller.amendCandidate(stagedId, { consentGiven: true, firstName: "" });

    expect(invalid.status).toBe(400);
    expect((await caller.getCandidate(stagedId)).status).toBe(404);
  });
});

describe("If-Match", () => {
  const amendIf = (stagedId: string, ifMatch: string, body: AmendmentBody = { firstName: "Grace" }) =>
    caller.amendCandidate(stagedId, body, { "If-Match": ifMatch });

  test("with the record's entity tag allows the amend and returns the new tag", async () => {
    const stagedId = await received(caller, aSubmission());
    const { headers } = await caller.getCandidate(stagedId);

    const amended = await amendIf(stagedId, String(headers.etag));

    expect(amended.status).toBe(200);
    expect(amended.headers.etag).not.toBe(headers.etag);
    expect(amended.headers.etag).toBe((await caller.getCandidate(stagedId)).headers.etag);
  });

  test("with the entity tag weakened by a proxy allows one amend, and then no more", async () => {
    const stagedId = await received(caller, aSubmission());
    const { headers } = await caller.getCandidate(stagedId);

    expect((await amendIf(stagedId, `W/${headers.etag}`)).status).toBe(200);
    expect((await amendIf(stagedId, `W/${headers.etag}`)).status).toBe(412);
  });

  test("with an earlier entity tag gets a 412 and changes nothing", async () => {
    const stagedId = await received(caller, aSubmission());
    const { headers } = await caller.getCandidate(stagedId);
    await caller.amendCandidate(stagedId, { headline: "newer" });

    const response = await amendIf(stagedId, String(headers.etag));

    expect(response.status).toBe(412);
    expect(response.body["error"]).toBe("precondition_failed");
    expect((await caller.getCandidate(stagedId)).body).toMatchObject({
      firstName: "Adelaide",
      headline: "newer",
    });
  });

  test("applies to an empty amend", async () => {
    const stagedId = await received(caller, aSubmission());
    const { headers } = await caller.getCandidate(stagedId);

    expect((await amendIf(stagedId, String(headers.etag), {})).status).toBe(200);
    expect((await amendIf(stagedId, '"other"', {})).status).toBe(412);
  });

  test("accepts * and a list of entity tags", async () => {
    const stagedId = await received(caller, aSubmission());
    const { headers } = await caller.getCandidate(stagedId);

    expect((await amendIf(stagedId, `"other", ${headers.etag}`)).status).toBe(200);
    expect((await amendIf(stagedId, "*")).status).toBe(200);
  });

  test.each([
    ["another weak tag", () => 'W/"x"'],
    ["a tag without quotes", (tag: string) => tag.slice(1, -1)],
    ["another tag", () => '"x"'],
    ["no tag at all", () => ","],
  ])("with %s matches no version", async (_what, header) => {
    const stagedId = await received(caller, aSubmission());
    const { headers } = await caller.getCandidate(stagedId);

    expect((await amendIf(stagedId, header(String(headers.etag)))).status).toBe(412);
  });

  test("for an unknown candidate gets a 404, not a 412", async () => {
    expect((await amendIf(UNKNOWN_HANDLE, '"x"')).status).toBe(404);
  });

  test("for a frozen candidate gets a 404, not a 412", async () => {
    const stagedId = await received(caller, aSubmission());
    await caller.amendCandidate(stagedId, { consentGiven: false });

    const response = await amendIf(stagedId, '"x"');

    expect(response.status).toBe(404);
    expect(response.body["error"]).toBe("consent_revoked");
  });
});
