import { describe, expect, test } from "vitest";
import { rowCreator } from "../../../client/push/create-rows.ts";
import { Pacer } from "../../../client/push/pacer.ts";
import { createOrAmend } from "../../../client/push/update-rows.ts";
import { CandidateServiceClient } from "../../../client/src/index.ts";
import { aFullSubmission, aSubmission, type SubmissionBody } from "../../builders/submission.ts";
import { refuses, type SeenRequest, type Step } from "../scripted-service.ts";
import { aCandidateService } from "./candidate-service.ts";

const begunAt = new Date("2026-11-21T10:00:00Z");

/** What an update of an existing candidate to these members requests, and how it ends. */
async function updating(
  members: Partial<SubmissionBody>,
  record: object,
  instead: (request: SeenRequest) => Step | undefined = () => undefined,
  receivedAt: (() => Date) | undefined = undefined,
) {
  const value = aSubmission(members);
  const service = await aCandidateService({ instead, ...(receivedAt && { receivedAt }) });
  service.candidates.set(value.externalId, { ...aSubmission(), ...record });
  const client = new CandidateServiceClient({ baseUrl: service.baseUrl, apiKey: "k", retries: 0 });
  const pacer = new Pacer();
  const create = rowCreator({ client, limits: { rows: 100, bytes: 1_000_000 }, pacer });
  const stop = new AbortController().signal;
  const [submitted] = await Array.fromAsync(
    createOrAmend({ client, pacer }, create, begunAt)([{ number: 1, bytes: 1, value }], stop),
  );
  const sent = service.requests.find(({ method }) => method === "PUT");
  const outcome = submitted?.outcome;
  return {
    kind: outcome?.kind,
    differing: outcome && "differing" in outcome ? outcome.differing : undefined,
    uncompared: outcome && "uncompared" in outcome ? outcome.uncompared : undefined,
    reason: outcome && "refusal" in outcome ? outcome.refusal.reason : undefined,
    methods: service.requests.map(({ method }) => method).join(" "),
    amendment: sent && JSON.parse(sent.body),
  };
}

/** Pushes three rows in a batch, of which the candidates of the first ones exist and differ. */
async function pushingThree(instead: (request: SeenRequest) => Step | undefined, existing = 1) {
  const service = await aCandidateService({ instead });
  const rows = ["ext-1", "ext-2", "ext-3"].map((externalId, at) => ({
    ...{ number: at + 1, bytes: 1 },
    value: aSubmission({ externalId, headline: "Analyst" }),
  }));
  for (const { value } of rows.slice(0, existing)) {
    service.candidates.set(value.externalId, { ...value, headline: "Clerk" });
  }
  const client = new CandidateServiceClient({ baseUrl: service.baseUrl, apiKey: "k", retries: 0 });
  const pacer = new Pacer();
  const create = rowCreator({ client, limits: { rows: 100, bytes: 1_000_000 }, pacer });
  const stopping = new AbortController();
  const yielded: unknown[] = [];
  const push = async () => {
    const submitted = createOrAmend({ client, pacer }, create, begunAt)(rows, stopping.signal);
    for await (const { row, outcome } of submitted) yielded.push([row.number, outcome.kind]);
  };
  return { push, yielded, pacer, stopping, methods: () => service.requests.map(({ method }) => method) };
}

const version = { version: 1, url: "https://files.example/a.pdf", uploadedAt: "2026-01-01T00:00:00Z" };
const cv = { documentType: "cv" as const, currentVersion: 1, versions: [version] };
const passport = { ...cv, documentType: "identity_document" as const };

describe("an update of a candidate", () => {
  test("ends with unexpected_response if the record is nested deeper than any of the service's", async () => {
    let record = {};
    for (let level = 0; level < 1_000; level += 1) record = { headline: record };

    await expect(updating({ headline: "Analyst" }, record)).rejects.toThrow(
      /^unexpected_response: .* nested/,
    );
  });

  const { firstName, lastName } = aSubmission();

  test("that ends the push yields the created rows of its batch first", async () => {
    const { push, yielded } = await pushingThree(({ method }) =>
      method === "PUT" ? refuses(401, "unauthorized") : undefined,
    );

    await expect(push()).rejects.toThrow("unauthorized: Message of unauthorized.");

    expect(yielded).toEqual([
      [2, "created"],
      [3, "created"],
    ]);
  });

  test("that ends the push is the last one of its batch", async () => {
    const refusesKey = ({ method }: SeenRequest) =>
      method === "GET" ? refuses(401, "unauthorized") : undefined;
    const { push, yielded, methods } = await pushingThree(refusesKey, 2);

    await expect(push()).rejects.toThrow("unauthorized: Message of unauthorized.");

    expect(yielded).toEqual([[3, "created"]]);
    expect(methods()).toEqual(["POST", "GET"]);
  });

  test("is not begun while all requests are paused", async () => {
    const { push, yielded, pacer, stopping, methods } = await pushingThree(({ method }) => {
      if (method !== "PUT") return undefined;
      pacer.pause(60_000, "the service asked callers to wait");
      return undefined;
    }, 2);
    const pushed = push();
    await expect.poll(() => yielded).toEqual([[1, "amended"]]);

    stopping.abort();
    await pushed;

    expect(yielded).toEqual([
      [1, "amended"],
      [3, "created"],
    ]);
    expect(methods()).toEqual(["POST", "GET", "PUT"]);
  });

  test("is not begun after an interruption, which leaves the created rows of the batch created", async () => {
    const { push, yielded, stopping, methods } = await pushingThree(() => void stopping.abort());

    await push();

    expect(yielded).toEqual([
      [2, "created"],
      [3, "created"],
    ]);
    expect(methods()).toEqual(["POST"]);
  });

  test.each([
    ["compared", { headline: "Analyst" }],
    ["sent without a read", { phone: "+1 202 555 0100" }],
  ])("whose consent is withdrawn is refused with what to do, if it is %s", async (_, members) => {
    const frozen = ({ method }: SeenRequest) =>
      method === "POST" ? undefined : refuses(404, "consent_revoked");

    const { kind, reason, methods } = await updating(members, {}, frozen);

    expect(kind).toBe("refused");
    expect(methods).not.toContain("GET PUT");
    expect(reason).toMatch(
      /^Message of consent_revoked\. --update does not send consentGiven: if the person has agreed again, send PUT \/v1\/candidates\/staged_\S+ with consentGiven true, then push the row again\.$/,
    );
  });

  test("does not follow a create that is refused", async () => {
    const { kind, reason, methods } = await updating({}, {}, () => refuses(413, "payload_too_large"));

    expect([kind, reason, methods]).toEqual(["refused", "Message of payload_too_large.", "POST"]);
  });

  test("that is refused for another reason has the service's reason alone", async () => {
    const { reason } = await updating({ headline: "Analyst" }, {}, ({ method }) =>
      method === "PUT" ? refuses(413, "payload_too_large") : undefined,
    );

    expect(reason).toBe("Message of payload_too_large.");
  });

  test("that differs from its row sends the row's members, without consent and those fixed at create", async () => {
    expect(await updating({ headline: "Analyst", tags: ["new"] }, { headline: null })).toMatchObject({
      kind: "amended",
      methods: "POST GET PUT",
      amendment: { firstName, lastName, headline: "Analyst" },
    });
  });

  test("that is the same as its row only reads it", async () => {
    const job = { employer: "Navy", jobTitle: "Admiral", startDate: "1943-12-01" };
    const unset = { endDate: null, isCurrent: false, location: null, description: null };
    const read = { headline: "Analyst", workHistory: [{ ...job, ...unset }], skills: [{ name: "Left out" }] };

    expect(await updating({ headline: "Analyst", workHistory: [job] }, read)).toMatchObject({
      kind: "unchanged",
      methods: "POST GET",
    });
  });

  test("that is the same as its row counts as created if it was received since the push began", async () => {
    const { kind, uncompared } = await updating({}, {}, undefined, () => begunAt);

    expect({ kind, uncompared }).toEqual({ kind: "created", uncompared: undefined });
  });

  test("that differs from its row is amended though it was received since the push began", async () => {
    const { kind, amendment } = await updating({ headline: "Analyst" }, {}, undefined, () => begunAt);

    expect({ kind, amendment }).toMatchObject({ kind: "amended", amendment: { headline: "Analyst" } });
  });

  test("that is the same as its row but for the sign of a zero only reads it", async () => {
    const novice = { name: "Analysis", yearsExperience: -0 };

    expect(
      await updating({ skills: [novice] }, { skills: [{ ...novice, yearsExperience: 0 }] }),
    ).toMatchObject({ kind: "unchanged", methods: "POST GET" });
  });

  test("empties a member whose row has null, and replaces a list whose row has an empty one", async () => {
    const { amendment } = await updating({ headline: null, skills: [] }, { headline: "Analyst" });

    expect(amendment).toEqual({ firstName, lastName, headline: null, skills: [] });
  });

  test.each<[string, Partial<SubmissionBody>]>([
    ["a phone number", { phone: "+1 202 555 0100" }],
    ["an address", { address: { country: "US" } }],
    ["no documents", { documents: [] }],
    ["a sensitive document", { documents: [cv, passport] }],
  ])("with members that no read returns is sent without a read: %s", async (_, members) => {
    expect(await updating(members, members)).toMatchObject({ kind: "amended", methods: "POST PUT" });
  });

  test("with documents that reads return is compared", async () => {
    expect(await updating({ documents: [cv] }, { documents: [cv] })).toMatchObject({ kind: "unchanged" });
  });

  test.each<[string, Partial<SubmissionBody>]>([
    ["kept", {}],
    ["amended", { headline: "Analyst" }],
    ["amended", { phone: "+1 202 555 0100" }],
  ])(
    "of a row that differs in members that an amend cannot change is %s and names them",
    async (kind, members) => {
      const fixed = { countryOfResidence: "FR", tags: ["new"], nationality: "FR" };
      const record = { countryOfResidence: "GB", tags: [], nationality: "FR" };

      expect(await updating({ ...members, ...fixed }, record)).toMatchObject({
        kind,
        differing: ["countryOfResidence", "tags"],
      });
    },
  );

  test("names no member that the row omits", async () => {
    expect(await updating({}, { tags: ["old"], gender: "male" })).toMatchObject({
      kind: "unchanged",
      differing: [],
      uncompared: ["email"],
    });
  });

  test.each<[string, Partial<SubmissionBody>]>([
    ["unchanged", {}],
    ["kept", { tags: ["new"] }],
    ["amended", { headline: "Analyst" }],
    ["amended", { phone: "+1 202 555 0100" }],
  ])(
    "of a row with members that no read returns and an amend cannot change is %s and names them",
    async (kind, members) => {
      const { dateOfBirth, gender, source, referees } = aFullSubmission();
      const hidden = { dateOfBirth, gender, source, referees };

      const outcome = await updating({ ...members, ...hidden }, { tags: ["old"] });

      expect({ ...outcome, uncompared: outcome.uncompared?.toSorted() }).toMatchObject({
        kind,
        uncompared: ["dateOfBirth", "email", "gender", "referees", "source"],
      });
    },
  );
});
