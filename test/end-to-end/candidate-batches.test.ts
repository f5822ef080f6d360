import { describe, expect, test } from "vitest";
import { aFullSubmission, anExternalId, aSubmission, documentsOf } from "../builders/submission.ts";
import { submissionCases, withDetailsOnce } from "../contract/cases.ts";
import { recordMembersOf } from "../contract/expected-record.ts";
import { aCaller, type Caller, eightAtATime, send } from "./client.ts";
import { JSON_TYPE, type Response } from "./messages.ts";
import { anOrganisation } from "./platform.ts";
import { aReceiver } from "./receiver.ts";
import { registered } from "./webhook-client.ts";

const caller = aCaller();

/** A result of either kind: members of the other kind are undefined. */
interface Result {
  readonly externalId: string | null;
  readonly status: number;
  readonly stagedId?: string;
  readonly receivedAt?: string;
  readonly replayed?: boolean;
  readonly error?: string;
  readonly message?: string;
}

const post = (body: string | Buffer, by: Caller = caller): Promise<Response> =>
  by.send({
    method: "POST",
    path: "/v1/candidate-batches",
    headers: JSON_TYPE,
    body,
  });

async function resultsOf(candidates: readonly unknown[], by?: Caller): Promise<readonly Result[]> {
  const response = await post(JSON.stringify({ candidates }), by);
  expect(response.status, response.text).toBe(200);
  return response.body["results"] as Result[];
}

const submissions = (count: number) => Array.from({ length: count }, () => aSubmission());

describe("a batch of candidates", () => {
  test("is received in the order sent, and each candidate reads back as sent", async () => {
    const rows = [aFullSubmission(), aSubmission(), aFullSubmission()];

    const results = await resultsOf(rows);

    expect(results).toEqual(
      rows.map(({ externalId }) => ({
        externalId,
        status: 201,
        stagedId: expect.stringMatching(/^staged_/),
        receivedAt: expect.stringMatching(/Z$/),
        replayed: false,
      })),
    );
    for (const [index, { stagedId }] of results.entries()) {
      const { body: record } = await caller.getCandidate(stagedId);
      expect(record).toMatchObject(recordMembersOf(rows[index] ?? {}));
    }
  });

  test("may contain a hundred", async () => {
    const rows = submissions(100);

    const results = await resultsOf(rows);

    expect(results.map(({ externalId, status }) => [externalId, status])).toEqual(
      rows.map(({ externalId }) => [externalId, 201]),
    );
    expect(new Set(results.map(({ stagedId }) => stagedId)).size).toBe(100);
  });

  test("gets the same results again when it is repeated, as replays", async () => {
    const rows = submissions(5);
    const first = await resultsOf(rows);

    const second = await resultsOf(rows);

    expect(second).toEqual(first.map((result) => ({ ...result, replayed: true })));
  });

  test("creates one candidate of rows with the same externalId: the first", async () => {
    const [one, other] = [anExternalId(), anExternalId()];
    const row = (externalId: string, firstName: string) => aSubmission({ externalId, firstName });

    const results = await resultsOf([
      row(one, "Adelaide"),
      row(other, "Bernadette"),
      row(one, "Clementine"),
      row(one, "Dorothea"),
    ]);

    expect(results.map(({ replayed }) => replayed)).toEqual([false, false, true, true]);
    expect(new Set(results.map(({ stagedId }) => stagedId)).size).toBe(2);
    expect((await caller.findCandidate(one)).body).toMatchObject({ firstName: "Adelaide" });
  });

  test("and single creates of the same candidates, all at once, create each candidate once", async () => {
    const { caller: own } = await anOrganisation();
    const receiver = await aReceiver();
    await registered(own, receiver.url);
    const rows = submissions(10);
    const batch = [...rows, ...rows];

    const [first, second, ...singles] = await Promise.all([
      resultsOf(batch, own),
      resultsOf(batch.toReversed(), own),
      ...rows.map((row) => own.createCandidate(row)),
    ]);

    const created = [
      ...(first ?? []),
      ...(second ?? []),
      ...singles.map(({ body, headers }) => ({
        ...(body as { externalId: string; stagedId: string }),
        replayed: headers["idempotent-replayed"] === "true",
      })),
    ];
    for (const { externalId } of rows) {
      const its = created.filter((each) => each.externalId === externalId);
      expect(its).toHaveLength(5);
      expect(new Set(its.map(({ stagedId }) => stagedId)).size).toBe(1);
      expect(its.filter(({ replayed }) => !replayed)).toHaveLength(1);
    }
    const events = await receiver.waitFor(10);
    expect(new Set(events.map(({ event }) => event.data.externalId))).toEqual(
      new Set(rows.map(({ externalId }) => externalId)),
    );
    expect(new Set(events.map(({ event }) => event.id)).size).toBe(10);
  });

  test("replays a single create, and is replayed by one", async () => {
    const [before, after] = submissions(2);
    const { body: receipt } = await caller.createCandidate(before);

    const results = await resultsOf([before, after]);
    const single = await caller.createCandidate(after);

    expect(results).toMatchObject([
      { stagedId: receipt["stagedId"], receivedAt: receipt["receivedAt"], replayed: true },
      { stagedId: single.body["stagedId"], receivedAt: single.body["receivedAt"], replayed: false },
    ]);
    expect(single.headers["idempotent-replayed"]).toBe("true");
  });

  test("is the organisation's own", async () => {
    const rows = submissions(2);
    const [acme, globex] = [aCaller(0), aCaller(1)];
    const ours = await resultsOf(rows, acme);

    const theirs = await resultsOf(rows, globex);

    expect(theirs.map(({ replayed }) => replayed)).toEqual([false, false]);
    for (const { stagedId } of ours) expect((await globex.getCandidate(stagedId)).status).toBe(404);
  });

  test("stores candidates that are too large for one item", async () => {
    const rows = Array.from({ length: 6 }, () => aSubmission({ documents: documentsOf(600_000) }));

    const results = await resultsOf(rows);
    const records = await eightAtATime(results, ({ stagedId }) => caller.getCandidate(stagedId));

    for (const [index, { body }] of records.entries()) {
      expect(body["documents"]).toEqual(recordMembersOf(rows[index] ?? {})["documents"]);
    }
  });
});

describe("an invalid candidate in a batch", () => {
  // Each accepted bound reads back as sent in test/candidates/store/item/candidate-item.test.ts.
  test("is refused as a single create refuses it, at every bound, and no other is", async () => {
    const cases = withDetailsOnce(submissionCases());
    // Without a bound's own identifier, the rows of a batch would be one candidate.
    const rows = cases.map(({ body, member }) =>
      member === "externalId" ? body : { ...body, externalId: anExternalId() },
    );
    for (let from = 0; from < rows.length; from += 100) {
      const results = await resultsOf(rows.slice(from, from + 100));
      for (const [index, { status, error, message }] of results.entries()) {
        const { accepted, path, what } = cases[from + index] ?? {};
        expect(status, `${path}: ${what}`).toBe(accepted ? 201 : 400);
        if (accepted) continue;
        expect(error).toBe("invalid_request");
        expect(message).toContain(path);
      }
    }
  });

  test("has its externalId in the result if that is valid, and otherwise null", async () => {
    const externalId = anExternalId();
    const invalid = { email: "not an address" };
    const others = [undefined, null, 7, "", "x".repeat(129), "\uD800", [externalId], { externalId }];

    const results = await resultsOf([
      { ...aSubmission({ externalId }), ...invalid },
      ...others.map((each) => ({ ...aSubmission(), externalId: each })),
      ...[null, 5, "text", [], [[externalId]], true],
    ]);

    expect(results.map(({ status }) => status)).toEqual(Array(15).fill(400));
    expect(results.map((result) => result.externalId)).toEqual([externalId, ...Array(14).fill(null)]);
    expect(results.at(-1)?.message).toBe("candidate: an object is expected");
  });

  test("gets a message that repeats nothing that was sent", async () => {
    const secrets = {
      firstName: "x".repeat(150),
      email: "private@@example",
      gender: "unlisted",
      ssn: "123456",
    };

    const [result] = await resultsOf([{ ...aSubmission(), ...secrets }]);

    expect(result?.message).toMatch(/^firstName: .+; email: .+; gender: .+; ssn: /);
    for (const secret of Object.values(secrets)) expect(result?.message).not.toContain(secret);
  });

  test("does not change the others' results if all but one are invalid", async () => {
    const valid = aSubmission();
    const rows: unknown[] = Array.from({ length: 100 }, () => ({ ...aSubmission(), consentGiven: false }));
    rows[57] = valid;

    const results = await resultsOf(rows);

    expect(results[57]).toMatchObject({ externalId: valid.externalId, status: 201 });
    expect(results.filter(({ status }) => status === 400)).toHaveLength(99);
  });

  test("cannot reach objects that it does not own", async () => {
    const pollution = ["__proto__", "constructor", "prototype"].map(
      (name) => `${JSON.stringify(aSubmission()).slice(0, -1)},"${name}":{"externalId":"x","polluted":true}}`,
    );
    const inherited = `{"__proto__":${JSON.stringify(aSubmission())}}`;

    const { status, body } = await post(`{"candidates":[${[...pollution, inherited].join(",")}]}`);

    expect(status).toBe(200);
    const results = body["results"] as Result[];
    expect(results.map((result) => result.status)).toEqual([400, 400, 400, 400]);
    expect(results.at(-1)?.externalId).toBeNull();
  });
});

describe("a batch that cannot be read as a whole is refused:", () => {
  const row = JSON.stringify(aSubmission());

  test.each([
    ["not JSON", "{", /^body: valid JSON is expected$/],
    ["empty", "", /^body: valid JSON is expected$/],
    ["null", "null", /^body: /],
    ["an array of candidates", `[${row}]`, /^body: an object is expected$/],
    ["one candidate", row, /candidates: an array of 1 to 100 items is required/],
    ["an empty object", "{}", /^candidates: an array of 1 to 100 items is required$/],
    ["no candidates", '{"candidates":[]}', /^candidates: an array of 1 to 100 items is expected$/],
    ["null for candidates", '{"candidates":null}', /^candidates: an array of 1 to 100 items is expected$/],
    ["an object of candidates", `{"candidates":{"0":${row}}}`, /^candidates: /],
    ["101 candidates", `{"candidates":[${Array(101).fill(row).join(",")}]}`, /^candidates: .* expected$/],
    ["an unknown member", `{"candidates":[${row}],"dryRun":true}`, /^dryRun: no member of this name/],
    ["__proto__", `{"candidates":[${row}],"__proto__":{}}`, /no member of this name is expected$/],
  ])("%s", async (_what, body, message) => {
    const response = await post(body);

    expect(response.status, response.text).toBe(400);
    expect(response.body).toMatchObject({
      error: "invalid_request",
      message: expect.stringMatching(message),
    });
  });

  test("over 4 MiB, by one byte", async () => {
    const text = JSON.stringify({ candidates: submissions(2) });
    const largest = 4 * 1024 * 1024;

    const accepted = await post(text + " ".repeat(largest - text.length));
    const refused = await post(text + " ".repeat(largest + 1 - text.length));

    expect(accepted.status).toBe(200);
    expect(refused.status).toBe(413);
    expect(refused.body["error"]).toBe("payload_too_large");
  });

  test("with bytes that are not UTF-8", async () => {
    const body = Buffer.from(`{"candidates":[${row.replace("Adelaide", "Ad\u00e9laide")}]}`, "latin1");

    expect((await post(body)).body).toMatchObject({ error: "invalid_request" });
  });

  test("without a key", async () => {
    const response = await send({
      method: "POST",
      path: "/v1/candidate-batches",
      headers: JSON_TYPE,
      body: "{",
    });

    expect(response.status).toBe(401);
  });

  test("with a method other than POST", async () => {
    const response = await caller.send({ method: "GET", path: "/v1/candidate-batches" });

    expect(response.status).toBe(405);
    expect(response.headers["allow"]).toBe("POST");
  });
});

describe("excessive JSON in a batch gets results or a 4xx, not a 5xx:", () => {
  const base = JSON.stringify(aSubmission()).slice(0, -1);

  test("rows with as many problems as a body holds", async () => {
    const tags = `${base},"tags":[${Array(19_000).fill("1").join(",")}]}`;

    const results = (await post(`{"candidates":[${Array(100).fill(tags).join(",")}]}`)).body[
      "results"
    ] as Result[];

    expect(results).toHaveLength(100);
    for (const { status, message = "" } of results) {
      expect(status).toBe(400);
      expect(message.length).toBeLessThan(5_000);
    }
  });

  test("arrays in arrays in place of candidates", async () => {
    const response = await post(`{"candidates":${"[".repeat(100_000)}${"]".repeat(100_000)}}`);

    expect(response.body["results"]).toMatchObject([{ externalId: null, status: 400 }]);
  });

  test("rows nested as deep as a body holds", async () => {
    const deep = `${base},"skills":${"[".repeat(20_000)}${"]".repeat(20_000)}}`;

    const results = (await post(`{"candidates":[${Array(100).fill(deep).join(",")}]}`)).body[
      "results"
    ] as Result[];

    expect(results.map(({ status }) => status)).toEqual(Array(100).fill(400));
  });
});
