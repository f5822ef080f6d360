import { describe, expect, test } from "vitest";
import { aFullSubmission, anExternalId, aSubmission } from "../builders/submission.ts";
import { aCaller, received } from "./client.ts";

const caller = aCaller();
const find = (query: string) => caller.send({ method: "GET", path: `/v1/candidates${query}` });

describe("finding a candidate by externalId", () => {
  test("gets a 200 with the same record and entity tag as by its handle", async () => {
    const body = aFullSubmission();
    const byHandle = await caller.getCandidate(await received(caller, body));

    const found = await caller.findCandidate(body.externalId);

    expect(found.status).toBe(200);
    expect(found.text).toBe(byHandle.text);
    expect(found.headers.etag).toBe(byHandle.headers.etag);
  });

  test("gets a 404 if nothing matches", async () => {
    const response = await caller.findCandidate(anExternalId());

    expect(response.status).toBe(404);
    expect(response.body["error"]).toBe("not_found");
  });

  test("distinguishes upper and lower case, and Unicode normal forms", async () => {
    const externalId = `${anExternalId()}-é`.normalize("NFC");
    await received(caller, aSubmission({ externalId }));

    expect((await caller.findCandidate(externalId.toUpperCase())).status).toBe(404);
    expect((await caller.findCandidate(externalId.normalize("NFD"))).status).toBe(404);
    expect((await caller.findCandidate(`${externalId} `)).status).toBe(404);
  });

  test.each([
    ["a path that climbs", (unique: string) => `${unique}/../b`],
    ["a system file", (unique: string) => `${unique}.bak`],
    ["a script", (unique: string) => `<script>${unique}`],
    ["a log4j lookup", (unique: string) => `\${jndi:ldap://example.com/${unique}}`],
    ["an address of a cloud's metadata", (unique: string) => `http://169.254.169.254/${unique}`],
  ])("finds an externalId that looks like %s", async (_what, externalIdOf) => {
    const externalId = externalIdOf(anExternalId());
    const stagedId = await received(caller, aSubmission({ externalId }));

    const found = await caller.findCandidate(externalId);

    expect(found.status).toBe(200);
    expect(found.body["id"]).toBe(stagedId);
  });

  test("ignores other query parameters", async () => {
    const { externalId } = aSubmission();
    await received(caller, aSubmission({ externalId }));

    const response = await find(`?limit=1&externalId=${externalId}&limit=2&__proto__=x`);

    expect(response.status).toBe(200);
  });

  test.each([
    ["missing", ""],
    ["missing beside others", "?id=1"],
    ["in another case", "?externalid=1"],
    ["empty", "?externalId="],
    ["a name alone", "?externalId"],
    ["129 letters", `?externalId=${"x".repeat(129)}`],
    ["129 emoji", `?externalId=${encodeURIComponent("\u{1F600}".repeat(129))}`],
  ])("is refused if externalId is %s", async (_what, query) => {
    const response = await find(query);

    expect(response.status).toBe(400);
    expect(response.body["error"]).toBe("invalid_request");
    expect(response.body["message"]).toMatch(/^externalId: /);
  });

  test.each([
    ["by two", "?externalId=1&externalId=2"],
    ["by the same twice", "?externalId=1&externalId=1"],
    ["by one and an empty one", "?externalId=1&externalId="],
  ])("is refused if the candidate is named %s, with a message that says so", async (_what, query) => {
    expect(await find(query)).toMatchObject({
      status: 400,
      body: { error: "invalid_request", message: "externalId: one parameter of this name is expected" },
    });
  });

  test.each([
    ["128 letters", "x".repeat(128)],
    ["128 emoji", "\u{1F600}".repeat(128)],
    ["a sign that only looks like a path", "../x"],
    ["a plus sign", "a+b"],
    ["a lone percent sign", "%"],
  ])("accepts %s", async (_what, externalId) => {
    expect((await caller.findCandidate(externalId)).status).toBeOneOf([200, 404]);
  });

  test.each(["%ED%A0%80", "%FF%FE", "%", "%zz", "%00", "%u0041", "a%2"])(
    "gets no 5xx for a malformed query: %s",
    async (encoded) => {
      expect((await find(`?externalId=${encoded}`)).status).toBeOneOf([400, 404]);
    },
  );
});
