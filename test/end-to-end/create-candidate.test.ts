import { describe, expect, test } from "vitest";
import { aFullSubmission, anExternalId, aSubmission, documentsOf } from "../builders/submission.ts";
import { oneOfEach, submissionCases } from "../contract/cases.ts";
import { recordMembersOf } from "../contract/expected-record.ts";
import { aCaller, received } from "./client.ts";
import { JSON_TYPE } from "./messages.ts";

const caller = aCaller();
const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

describe("creating a candidate", () => {
  test("gets a 201 with only its receipt", async () => {
    const body = aSubmission();

    const response = await caller.createCandidate(body);

    expect(response.status).toBe(201);
    expect(response.headers["content-type"]).toMatch(/^application\/json/);
    expect(response.headers["idempotent-replayed"]).toBeUndefined();
    expect(response.body).toEqual({
      stagedId: expect.stringMatching(/^staged_\S+$/),
      externalId: body.externalId,
      status: "received",
      receivedAt: expect.stringMatching(ISO_TIME),
    });
    expect(Math.abs(Date.parse(String(response.body["receivedAt"])) - Date.now())).toBeLessThan(60_000);
  });

  test("stores every member, which the safe projection returns", async () => {
    const body = aFullSubmission();

    const { body: record } = await caller.getCandidate(await received(caller, body));

    expect(record).toMatchObject(recordMembersOf(body));
  });

  test("with the required members alone fills in the defaults", async () => {
    const body = aSubmission();

    const { body: record } = await caller.getCandidate(await received(caller, body));

    expect(record).toEqual({
      ...recordMembersOf(body),
      id: expect.stringMatching(/^staged_/),
      status: "received",
      verificationStatus: "in_review",
      availabilityStatus: "pending",
      workReadinessScore: null,
      updatedAt: expect.stringMatching(ISO_TIME),
    });
  });

  test("with nulls for nullable members reads back as if they were omitted", async () => {
    const body = { ...aSubmission(), middleName: null, preferredName: null, headline: null, summary: null };

    const { body: record } = await caller.getCandidate(await received(caller, body));

    expect(record).toMatchObject({ middleName: null, preferredName: null, headline: null, summary: null });
  });

  test.each([
    "a#b",
    "CANDIDATE#acme#x",
    "a/b/../c",
    "ada+jobs@example.com",
    "with space ",
    "100%",
    "%2F",
    "?externalId=x&y=z",
    "__proto__",
    "\u{1F600}".repeat(128),
    "é".normalize("NFD"),
    "null",
    "line\nfeed",
    "\u0000",
    "<script>",
    '"quoted"',
  ])("accepts any string as externalId: %j", async (text) => {
    // Unique up to the 128 code points: the text itself stands first.
    const externalId = [...(text + anExternalId())].slice(0, 128).join("");

    const stagedId = await received(caller, aSubmission({ externalId }));

    const found = await caller.findCandidate(externalId);
    expect(found.status).toBe(200);
    expect(found.body).toMatchObject({ id: stagedId, externalId });
  });
});

describe("creating a candidate again", () => {
  test("gets a 201 with the first receipt and a replay header", async () => {
    const body = aSubmission();
    const first = await caller.createCandidate(body);

    const again = await caller.createCandidate(body);

    expect(again.status).toBe(201);
    expect(again.body).toEqual(first.body);
    expect(again.headers["idempotent-replayed"]).toBe("true");
  });

  test("with another body changes nothing", async () => {
    const body = aFullSubmission();
    const stagedId = await received(caller, body);
    const before = await caller.getCandidate(stagedId);

    const again = await caller.createCandidate(
      aSubmission({ externalId: body.externalId, firstName: "Grace" }),
    );

    const after = await caller.getCandidate(stagedId);
    expect(again.status).toBe(201);
    expect(again.body["stagedId"]).toBe(stagedId);
    expect(after.text).toBe(before.text);
    expect(after.headers.etag).toBe(before.headers.etag);
  });

  test("with an invalid body is refused", async () => {
    const body = aSubmission();
    await received(caller, body);

    const again = await caller.createCandidate({ ...body, email: "no" });

    expect(again.status).toBe(400);
    expect(again.body["message"]).toMatch(/^email: /);
  });

  test("after an amend returns the first receipt and keeps the amend", async () => {
    const body = aSubmission();
    const first = await caller.createCandidate(body);
    await caller.amendCandidate(first.body["stagedId"], { firstName: "Grace" });

    const again = await caller.createCandidate(body);

    expect(again.body).toEqual(first.body);
    expect((await caller.findCandidate(body.externalId)).body["firstName"]).toBe("Grace");
  });
});

describe("a submission", () => {
  // Every bound is judged over HTTP in batches, and reads back in test/candidates/store/item/candidate-item.test.ts. A
  // case of either kind for each member shows here that a single create is held to them.
  const cases = oneOfEach(submissionCases()).map((each) => ({
    ...each,
    // A prefix would move the bound of externalId itself.
    body: each.path === "externalId" ? each.body : { ...each.body, externalId: anExternalId() },
  }));

  test.each(cases.filter(({ accepted }) => accepted))("may have at $path $what", async ({ body, path }) => {
    const stagedId = await received(caller, body);

    if (path === "externalId") return;
    expect((await caller.getCandidate(stagedId)).body).toMatchObject(recordMembersOf(body));
  });

  test.each(cases.filter(({ accepted }) => !accepted))(
    "may not have at $path $what",
    async ({ body, path }) => {
      const response = await caller.createCandidate(body);

      expect(response.status, response.text).toBe(400);
      expect(response.body).toEqual({
        error: "invalid_request",
        message: expect.stringContaining(path),
      });
    },
  );
});

describe("an invalid submission", () => {
  test("is refused with the path of every problem and without the values sent", async () => {
    const response = await caller.createCandidate({
      ...aFullSubmission(),
      firstName: "",
      lastName: null,
      dateOfBirth: "1999-13-canary",
      workHistory: [{ employer: "canary", jobTitle: 7, startDate: "canary" }],
      media: [{ kind: "audio", assetKey: "canary", url: "https://canary.example/" }],
      nickname: "canary",
    });

    expect(response.status).toBe(400);
    expect(response.body["error"]).toBe("invalid_request");
    const paths = String(response.body["message"])
      .split("; ")
      .map((problem) => problem.split(": ")[0]);
    expect(paths).toEqual([
      "firstName",
      "lastName",
      "dateOfBirth",
      "workHistory[0].jobTitle",
      "workHistory[0].startDate",
      "media[0]",
      "nickname",
    ]);
    expect(response.text).not.toContain("canary");
  });

  test("is refused with the first twenty problems and the number of the rest", async () => {
    const response = await caller.createCandidate({ ...aSubmission(), tags: Array(50).fill(1) });

    const problems = String(response.body["message"]).split("; ");
    expect(problems).toHaveLength(21);
    expect(problems[19]).toMatch(/^tags\[19\]: /);
    expect(problems[20]).toMatch(/\b30 more\b/);
  });

  test("stores nothing", async () => {
    const externalId = anExternalId();

    await caller.createCandidate({ ...aSubmission({ externalId }), tags: [1] });

    expect((await caller.findCandidate(externalId)).status).toBe(404);
  });
});

describe("a body of 4 MiB", () => {
  const LIMIT = 4 * 1024 * 1024;
  const post = (body: string) =>
    caller.send({
      method: "POST",
      path: "/v1/candidates",
      headers: JSON_TYPE,
      body,
    });

  test("is accepted, and one byte more is refused", async () => {
    const text = JSON.stringify(aSubmission());

    const largest = await post(text + " ".repeat(LIMIT - text.length));
    const larger = await post(text + " ".repeat(LIMIT + 1 - text.length));

    expect(largest.status).toBe(201);
    expect(larger.status).toBe(413);
    expect(larger.body["error"]).toBe("payload_too_large");
  });

  test("is accepted whatever it contains, including line feeds", async () => {
    const text = JSON.stringify(aSubmission());

    expect((await post(text + "\n".repeat(LIMIT - text.length))).status).toBe(201);
  });

  test("is measured in bytes, not in characters", async () => {
    const half = "é".repeat(LIMIT / 2);

    expect((await post(`${half}x`)).status).toBe(413);
  });

  test("of incompressible text is stored, read back whole and amended section by section", async () => {
    const body = aSubmission({ documents: documentsOf(3_900_000), referees: [{ name: "Charles Babbage" }] });

    const stagedId = await received(caller, body);
    const { body: record } = await caller.getCandidate(stagedId);
    const amended = await caller.amendCandidate(stagedId, { documents: documentsOf(400_000).slice(0, 1) });

    expect(record).toMatchObject(recordMembersOf(body));
    expect(amended.status, amended.text).toBe(200);
    expect(amended.body["documents"]).toHaveLength(1);
    expect((await caller.getCandidate(stagedId)).text).toBe(amended.text);
  });
});
