import { type DynamoDBDocumentClient, GetCommand } from "@aws-sdk/lib-dynamodb";
import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from "vitest";
import { PLATFORM_ASSESSMENTS } from "#candidates/assessments";
import type { DocumentToRemove, PlatformAssessment } from "#candidates/candidate-commands";
import { assessment, type Decision, documentRemoval, transition } from "#candidates/change";
import { digestOf, parseHandle, stagedIdOf } from "#candidates/handles";
import { toCandidateRecord } from "#candidates/projection";
import { CandidateReader } from "#candidates/store/candidate-reader";
import { CandidateRepository } from "#candidates/store/candidate-repository";
import { candidateKey } from "#candidates/store/item/candidate-key";
import type { CandidateRecord } from "#contract/candidate-record";
import { CandidateAmendment, CandidateSubmission } from "#contract/candidate-submission";
import { runtime } from "#runtime/runtime";
import { aCandidate } from "../builders/candidate.ts";
import { clientAround, sentAgain } from "../builders/client-around.ts";
import { ACME } from "../builders/organisation.ts";
import { runtimeAt } from "../builders/runtime.ts";
import {
  type AmendmentBody,
  aDocument,
  aFullSubmission,
  anExternalId,
  type SubmissionBody,
} from "../builders/submission.ts";
import { SENSITIVE_DOCUMENT_TYPES } from "../contract/bounds.ts";
import { propertyRuns } from "../property-runs.ts";
import { aStore, type Store } from "./candidate-store.ts";

/** The rows of "Amend" in the decisions, each held against what the table keeps and what a reader sees. */

const ORG = "acme";

let store: Store;
beforeAll(async () => {
  store = await aStore(inject("dynamoDbEndpoint"));
});
afterAll(() => store?.close());

let externalId: string;
beforeEach(() => {
  externalId = anExternalId();
});

const handle = () => parseHandle(stagedIdOf(digestOf(ACME, externalId)));
const repository = (client = store.client) => new CandidateRepository(client, store.tableName, runtime);
const reader = () => new CandidateReader(store.client, store.tableName, runtime);

const receive = (members: Partial<SubmissionBody> = {}) =>
  repository().receive(ACME, CandidateSubmission.parse(aFullSubmission({ externalId, ...members })));
const amend = async (body: AmendmentBody, client?: DynamoDBDocumentClient) =>
  toCandidateRecord(await repository(client).amend(ORG, handle(), CandidateAmendment.parse(body), {}));
const read = async () => toCandidateRecord(await reader().find(ORG, handle()));
const assess = (result: PlatformAssessment) => repository().change(ORG, handle(), assessment(result));
const labelsOf = (documents: readonly { readonly label?: string | null | undefined }[] = []) =>
  documents.map(({ label }) => label);
/** The labels of all documents that are stored, those that no reader sees included. */
const storedLabels = async () => labelsOf((await reader().inspect(ORG, handle())).members.documents).sort();

async function storedItem(): Promise<Record<string, unknown>> {
  const { Item = {} } = await store.client.send(
    new GetCommand({ TableName: store.tableName, Key: candidateKey(ORG, handle().digest) }),
  );
  return Item;
}

type DocumentBody = ReturnType<typeof aDocument>;

function aResult(overrides: Partial<PlatformAssessment> = {}): PlatformAssessment {
  return {
    externalId: "result-1",
    provider: "partner",
    name: "Typing",
    status: "completed",
    competencies: [],
    ...overrides,
  };
}

/** What who reads, edits and writes back sends: the members of the record that an amend takes. */
function writtenBack(record: CandidateRecord): AmendmentBody {
  const amendable = Object.keys(CandidateAmendment.shape);
  return JSON.parse(
    JSON.stringify(Object.fromEntries(Object.entries(record).filter(([name]) => amendable.includes(name)))),
  );
}

const withoutTime = ({ updatedAt, ...record }: CandidateRecord) => record;

describe("documents in an amend", () => {
  const cv = aDocument({ label: "cv" });
  const passport = aDocument({ documentType: "identity_document", label: "passport" });
  const permit = aDocument({ documentType: "right_to_work", label: "permit" });

  test("replace the visible documents and keep every sensitive one that the body does not name", async () => {
    await receive({ documents: [cv, passport, permit] });

    const record = await amend({ documents: [aDocument({ label: "new cv" })] });

    expect(labelsOf(record.documents)).toEqual(["new cv"]);
    expect(await storedLabels()).toEqual(["new cv", "passport", "permit"]);
  });

  test.each(SENSITIVE_DOCUMENT_TYPES)(
    "of the type %s replace those of that type alone",
    async (documentType) => {
      const others = SENSITIVE_DOCUMENT_TYPES.filter((type) => type !== documentType);
      await receive({
        documents: SENSITIVE_DOCUMENT_TYPES.flatMap((type) => [
          aDocument({ documentType: type, label: `${type} 1` }),
          aDocument({ documentType: type, label: `${type} 2` }),
        ]),
      });

      await amend({ documents: [cv, aDocument({ documentType, label: "new" })] });

      expect(await storedLabels()).toEqual(
        ["cv", "new", ...others.flatMap((type) => [`${type} 1`, `${type} 2`])].sort(),
      );
    },
  );

  test("that are all sensitive leave no visible document", async () => {
    await receive({ documents: [cv, permit] });

    expect((await amend({ documents: [passport] })).documents).toEqual([]);
    expect(await storedLabels()).toEqual(["passport", "permit"]);
  });

  test("as an empty list remove all documents, including sensitive ones", async () => {
    await receive({ documents: [cv, passport, permit] });

    await amend({ documents: [] });

    expect(await storedLabels()).toEqual([]);
    expect(Object.keys(await storedItem()).filter((name) => name.startsWith("documents"))).toEqual([]);
  });

  test("keep their order and all their members", async () => {
    const documents = [
      aDocument({ documentType: "work_sample", label: "b" }),
      passport,
      aDocument({ documentType: "cv", label: "a" }),
    ];
    await receive({ documents });

    expect(labelsOf((await read()).documents)).toEqual(["b", "a"]);
    expect((await reader().inspect(ORG, handle())).members.documents).toEqual(
      expect.arrayContaining(documents),
    );
  });

  test("may exceed 50 in the record: the limit applies to one request body", async () => {
    const fifty = (documentType: DocumentBody["documentType"]) =>
      Array.from({ length: 50 }, (_, index) =>
        aDocument({ documentType, label: `${documentType} ${index}` }),
      );
    await receive({ documents: fifty("identity_document") });

    await amend({ documents: fifty("cv") });

    expect(await storedLabels()).toHaveLength(100);
  });
});

describe("assessments in an amend", () => {
  const partners = aResult({ name: "The partner's" });
  const platforms = aResult({ externalId: "result-2", provider: "proctor", name: "The platform's" });

  test("replace the partner's and keep the platform's after them", async () => {
    await receive({ assessments: [partners] });
    await assess(platforms);

    const record = await amend({ assessments: [aResult({ externalId: "result-9", name: "New" })] });

    expect(record.assessments.map(({ name }) => name)).toEqual(["New", "The platform's"]);
    expect((await amend({ assessments: [] })).assessments).toEqual([platforms]);
  });

  test("give way to the platform's of the same provider and externalId, in any order", async () => {
    const override = aResult({ name: "Overridden", score: 12 });
    await receive({ assessments: [partners] });
    await assess(override);

    expect((await read()).assessments).toEqual([override]);
    expect((await amend({ assessments: [{ ...partners, score: 100 }] })).assessments).toEqual([override]);
  });

  test.each([
    ["another provider", { provider: "other" as const }],
    ["another externalId", { externalId: "result-8" }],
    ["no externalId", { externalId: null }],
  ])("with %s do not match the platform's", async (_what, difference) => {
    await receive({ assessments: [] });
    await assess(aResult());

    expect((await amend({ assessments: [{ ...partners, ...difference }] })).assessments).toHaveLength(2);
  });

  test("may exceed 50 in the record: the limit applies to one request body", async () => {
    const assessments = Array.from({ length: 50 }, (_, index) => aResult({ externalId: `p-${index}` }));
    await receive({ assessments });
    await assess(platforms);

    expect((await read()).assessments).toHaveLength(51);
  });
});

describe("members in an amend", () => {
  test("are kept if omitted, replaced as a whole if present, and cleared if null", async () => {
    await receive();
    const before = await read();

    const record = await amend({ skills: [], middleName: null, jobPreferences: {}, lastName: "King" });

    expect(withoutTime(record)).toEqual({
      ...withoutTime(before),
      skills: [],
      middleName: null,
      jobPreferences: { desiredTitles: [], employmentTypes: [], preferredCountries: [] },
      lastName: "King",
    });
  });

  test("are all kept if amends of different members race", async () => {
    await receive();

    await Promise.all([
      amend({ headline: "a" }),
      amend({ documents: [aDocument({ documentType: "police_clearance", label: "b" })] }),
      assess(aResult({ externalId: "c" })),
      amend({ languages: [] }),
    ]);

    const { headline, languages, assessments } = await read();
    expect({ headline, languages }).toEqual({ headline: "a", languages: [] });
    expect(assessments.map((each) => each.externalId)).toContain("c");
    expect(await storedLabels()).toContain("b");
  });
});

describe("the number of DynamoDB requests", () => {
  const full = writtenBack(toCandidateRecord(aCandidate(CandidateSubmission.parse(aFullSubmission()))));

  test.each<[string, AmendmentBody]>([
    ["of documents", { documents: [aDocument()] }],
    ["of sensitive documents", { documents: [aDocument({ documentType: "right_to_work" })] }],
    ["of no documents", { documents: [] }],
    ["of assessments", { assessments: [aResult()] }],
    ["of all that was read", full],
    ["that withdraws consent", { consentGiven: false }],
    ["that repeats the consent that stands", { consentGiven: true }],
  ])("is one for an amend %s", async (_what, body) => {
    await receive();
    await assess(aResult({ externalId: "the platform's" }));
    const sent: string[] = [];

    await amend(body, counting(sent));

    expect(sent).toEqual(["Update"]);
  });

  test("is two for an amend that restores consent: the second fires the event", async () => {
    await receive();
    await repository().change(ORG, handle(), transition("revoke-consent"));
    const sent: string[] = [];

    await amend({ consentGiven: true }, counting(sent));

    expect(sent).toEqual(["Update", "Update"]);
  });

  test("is one for a create, and two for the first create after an erasure", async () => {
    const sent: string[] = [];
    const create = () =>
      repository(counting(sent)).receive(ACME, CandidateSubmission.parse(aFullSubmission({ externalId })));

    await create();
    await create();
    await repository().change(ORG, handle(), transition("erase"));
    await create();

    expect(sent).toEqual(["Put", "Put", "Put", "Put"]);
  });

  function counting(sent: string[]): DynamoDBDocumentClient {
    return clientAround(store.client, ({ name }, send) => {
      sent.push(name);
      return send();
    });
  }
});

describe("the removal of a document", () => {
  const removeShown = async (documentType: DocumentToRemove["documentType"], number?: number) => {
    const { updatedAt } = (await reader().inspect(ORG, handle())).state;
    return repository().change(ORG, handle(), documentRemoval({ documentType, number, updatedAt }));
  };
  const clearance = (label: string) => aDocument({ documentType: "police_clearance", label });

  test.each(["police_clearance", "cv"] as const)(
    "removes the only document of its type: %s",
    async (documentType) => {
      await receive({
        documents: [
          clearance("a"),
          aDocument({ label: "b" }),
          aDocument({ documentType: "portfolio", label: "c" }),
        ],
      });
      await store.firedSinceLastAsked();

      await expect(removeShown(documentType)).resolves.toMatchObject({ kind: "changed" });

      expect(await storedLabels()).toEqual(documentType === "cv" ? ["a", "c"] : ["b", "c"]);
      expect(await store.firedSinceLastAsked()).toEqual([]);
    },
  );

  test("removes the document of the given number if there are several of the type", async () => {
    await receive({
      documents: [clearance("a"), aDocument({ label: "cv" }), clearance("b"), clearance("c")],
    });

    await expect(removeShown("police_clearance")).rejects.toThrow("number: a number from 1 to 3");
    await removeShown("police_clearance", 2);

    expect(await storedLabels()).toEqual(["a", "c", "cv"]);
  });

  test("is refused if the record has changed since it was inspected", async () => {
    await receive({ documents: [clearance("a")] });
    const { updatedAt } = (await reader().inspect(ORG, handle())).state;
    await amend({ documents: [clearance("the right one")] });

    const removal = documentRemoval({ documentType: "police_clearance", updatedAt });
    await expect(repository().change(ORG, handle(), removal)).rejects.toThrow(
      "updatedAt: the record has changed",
    );
    expect(await storedLabels()).toEqual(["the right one"]);
  });

  test("is refused if there is no such document", async () => {
    await receive({ documents: [clearance("a")] });

    await expect(removeShown("cv")).rejects.toThrow(
      "documentType: the candidate has no document of this type",
    );
    await expect(removeShown("police_clearance", 2)).rejects.toThrow("number: a number from 1 to 1");
    expect(await storedLabels()).toEqual(["a"]);
  });

  test("works on a frozen record and fails on an erased one", async () => {
    await receive({ documents: [clearance("a")] });
    await repository().change(ORG, handle(), transition("revoke-consent"));

    await expect(removeShown("police_clearance")).resolves.toMatchObject({ kind: "changed" });
    await repository().change(ORG, handle(), transition("erase"));

    await expect(removeShown("police_clearance")).rejects.toMatchObject({ code: "not_found" });
  });
});

describe("an amend", () => {
  test("with an empty body writes nothing", async () => {
    await receive();
    const before = await storedItem();

    await amend({});

    expect(await storedItem()).toEqual(before);
  });

  test.each([
    { externalId: "x" },
    { tags: ["x"] },
    { referees: [] },
    { unknown: 1 },
    { firstName: null },
    { skills: null },
    { documents: [{}] },
  ])("of an unknown, read-only or non-nullable member is refused: %j", (body) => {
    expect(() => CandidateAmendment.parse({ headline: "x", ...body })).toThrow();
  });

  test("of any member moves updatedAt forward, even within the same millisecond", async () => {
    await receive();
    const now = new Date(Date.now() + 60_000);
    const clock = new CandidateRepository(
      store.client,
      store.tableName,
      runtimeAt(() => now),
    );
    const versions = [(await read()).updatedAt];

    for (const headline of ["a", "b", "b"]) {
      versions.push((await clock.amend(ORG, handle(), { headline }, {})).state.updatedAt);
    }

    expect(versions).toEqual([...new Set(versions)].sort());
  });

  test("with If-Match of an earlier version is refused", async () => {
    await receive();
    const { updatedAt } = await read();
    await amend({ headline: "newer" });

    await expect(
      repository().amend(ORG, handle(), { headline: "x" }, { ifMatch: [updatedAt] }),
    ).rejects.toMatchObject({ code: "precondition_failed" });
    expect((await read()).headline).toBe("newer");
  });

  test("of the member consents neither freezes nor restores access", async () => {
    await receive();

    await amend({ consents: [{ type: "data_processing", granted: false }] });
    expect((await read()).status).toBe("received");

    await amend({ consentGiven: false });
    await expect(amend({ consents: [{ type: "data_processing", granted: true }] })).rejects.toMatchObject({
      code: "consent_revoked",
    });
  });

  test("of a frozen record, including another withdrawal, is refused until consent is given again", async () => {
    await receive();
    const frozen = await amend({ consentGiven: false, headline: "Last words" });

    expect(frozen).toMatchObject({ status: "consent_revoked", headline: "Last words" });
    for (const body of [{}, { headline: "x" }, { consentGiven: false }]) {
      await expect(amend(body)).rejects.toMatchObject({ code: "consent_revoked" });
    }
    expect(await amend({ consentGiven: true })).toMatchObject({ status: "received", headline: "Last words" });
  });
});

/** The same store, where the SDK repeats the first write whose response was lost: after what happens meanwhile. */
function losingAResponse(meanwhile: () => Promise<unknown> = async () => {}): DynamoDBDocumentClient {
  let lost = false;
  return clientAround(store.client, async ({ name }, send) => {
    const output = await send();
    if (lost || name === "Get") return output;
    lost = true;
    await meanwhile();
    return sentAgain(send);
  });
}

describe("a write whose response was lost", () => {
  const erase = () => repository().change(ORG, handle(), transition("erase"));
  const revoke = () => repository().change(ORG, handle(), transition("revoke-consent"));
  const eventTypes = async () =>
    (await store.firedSinceLastAsked()).map(({ newImage }) => newImage["event"]?.M?.["type"]?.S);
  const create = (client = store.client) =>
    repository(client).receive(ACME, CandidateSubmission.parse(aFullSubmission({ externalId })));

  beforeEach(() => store.firedSinceLastAsked());

  test.each([
    ["of a candidate that never was", async () => {}, 1],
    ["over a tombstone", async () => [await create(), await erase()], 3],
  ])("creates the candidate once and is no replay: %s", async (_what, before, events) => {
    await before();

    expect((await create(losingAResponse())).kind).toBe("created");
    expect(await eventTypes()).toHaveLength(events);
  });

  test("does not restore a candidate that was erased in the meantime", async () => {
    await create(losingAResponse(erase));

    expect((await reader().inspect(ORG, handle())).state.status).toBe("erased");
    expect(await eventTypes()).toEqual(["candidate.received", "candidate.erased"]);
  });

  test("amends the candidate once, with one event", async () => {
    await create();

    await amend({ consentGiven: false }, losingAResponse());
    await amend({ consentGiven: true, headline: "Back" }, losingAResponse());

    expect((await read()).headline).toBe("Back");
    expect(await eventTypes()).toEqual([
      "candidate.received",
      "candidate.consent_revoked",
      "candidate.consent_restored",
    ]);
  });

  test("does not restore consent that was revoked in the meantime", async () => {
    await create();
    await revoke();

    // The first request is refused by the frozen record; the second restores, and its response is lost.
    let writes = 0;
    const client = clientAround(store.client, async (_asked, send) => {
      writes += 1;
      const output = await send();
      if (writes !== 2) return output;
      await revoke();
      return send();
    });

    await expect(amend({ consentGiven: true }, client)).rejects.toMatchObject({ code: "consent_revoked" });
    expect((await reader().inspect(ORG, handle())).state.status).toBe("consent_revoked");
  });

  test("is a replay if another create replaced the tombstone first", async () => {
    await create();
    await erase();
    let puts = 0;
    let overtaking: Awaited<ReturnType<typeof create>> | undefined;
    const overtaken = clientAround(store.client, async (_asked, send) => {
      if (++puts === 2) overtaking = await create();
      return send();
    });

    expect(await create(overtaken)).toEqual({ kind: "replayed", response: overtaking?.response });
    expect(await eventTypes()).toEqual(["candidate.received", "candidate.erased", "candidate.received"]);
  });
});

describe("any sequence of writes by partner and platform", () => {
  const TYPES = ["cv", "portfolio", ...SENSITIVE_DOCUMENT_TYPES] as const;
  const documents = fc.array(
    fc
      .record({ documentType: fc.constantFrom(...TYPES), label: fc.constantFrom("a", "b", "c", null) })
      .map((document) => aDocument(document)),
    { maxLength: 4 },
  );
  const result = fc.record({
    provider: fc.constantFrom("partner" as const, "proctor" as const),
    externalId: fc.constantFrom("1", "2", "3"),
    score: fc.integer({ min: 0, max: 100 }),
  });
  const assessments = fc.array(
    fc
      .tuple(result, fc.boolean())
      .map(([each, named]) => ({ ...aResult(each), externalId: named ? each.externalId : null })),
    { maxLength: 4 },
  );
  const aWrite = fc.oneof(
    fc
      .record({ documents, assessments, headline: fc.constantFrom("x", null) }, { requiredKeys: [] })
      .map((body) => ({ do: "amend", body }) as const),
    fc.record({ do: fc.constant("assess" as const), result: result.map((each) => aResult(each)) }),
    fc.record({ do: fc.constant("remove document" as const), documentType: fc.constantFrom(...TYPES) }),
    fc.constant({ do: "write back" } as const),
    fc.constant({ do: "revoke and restore consent" } as const),
    fc.constant({ do: "erase and create" } as const),
  );

  /** What the record and the table are to hold, in the plainest way there is. */
  class Model {
    visible: DocumentBody[] = [];
    sensitive = new Map<string, DocumentBody[]>();
    partners: AssessmentBody[] = [];
    platforms: PlatformAssessment[] = [];

    amend({ documents, assessments }: { documents?: DocumentBody[]; assessments?: AssessmentBody[] }) {
      if (assessments) this.partners = assessments;
      if (!documents) return;
      this.visible = documents.filter((each) => !isSensitive(each));
      if (documents.length === 0) this.sensitive.clear();
      const named = Object.groupBy(documents.filter(isSensitive), ({ documentType }) => documentType);
      for (const [type, list = []] of Object.entries(named)) this.sensitive.set(type, list);
    }

    assess(result: PlatformAssessment) {
      const place = this.platforms.findIndex((each) => isSame(each, result));
      this.platforms.splice(place < 0 ? this.platforms.length : place, 1, result);
    }

    of(documentType: string): DocumentBody[] {
      return (
        this.sensitive.get(documentType) ?? this.visible.filter((each) => each.documentType === documentType)
      );
    }

    remove(documentType: string) {
      this.visible = this.visible.filter((each) => each.documentType !== documentType);
      this.sensitive.delete(documentType);
    }
  }

  const submitted = { documents: [aDocument()], assessments: [aResult()] };

  test("keeps the platform's assessments and unnamed sensitive documents byte for byte", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(aWrite, fc.boolean()), { minLength: 1, maxLength: 12, size: "max" }),
        async (writes) => {
          externalId = anExternalId();
          await receive(submitted);
          let model = new Model();
          model.amend(submitted);
          let [before, recordBefore] = [await storedItem(), await read()];

          for (const [write, loses] of writes) {
            const client = loses ? losingAResponse() : store.client;
            const change = (decision: Decision) => repository(client).change(ORG, handle(), decision);
            /** The attributes that this write may change. */
            let mayChange: (attribute: string) => boolean = () => false;
            switch (write.do) {
              case "amend":
                await amend(write.body, client);
                model.amend(write.body);
                mayChange = (attribute) => {
                  const { documents: list } = write.body;
                  if (!list || attribute === PLATFORM_ASSESSMENTS) return false;
                  return (
                    list.length === 0 || list.some(({ documentType }) => attribute.endsWith(documentType))
                  );
                };
                break;
              case "assess":
                await change(assessment(write.result));
                model.assess(write.result);
                mayChange = (attribute) => attribute === PLATFORM_ASSESSMENTS;
                break;
              case "remove document": {
                const { updatedAt } = recordBefore;
                const removal = change(documentRemoval({ documentType: write.documentType, updatedAt }));
                if (model.of(write.documentType).length !== 1) {
                  await expect(removal).rejects.toMatchObject({ code: "invalid_request" });
                  break;
                }
                await removal;
                model.remove(write.documentType);
                mayChange = (attribute) => attribute.endsWith(write.documentType);
                break;
              }
              case "write back": {
                // The one list that says more than what was read: none at all.
                const { documents = [], ...others } = writtenBack(recordBefore);
                const body = { ...others, ...(documents.length > 0 && { documents }) };
                expect(withoutTime(await amend(body, client))).toEqual(withoutTime(recordBefore));
                break;
              }
              case "revoke and restore consent":
                await change(transition("revoke-consent"));
                await amend({ consentGiven: true }, loses ? losingAResponse() : store.client);
                break;
              case "erase and create":
                await change(transition("erase"));
                await receive(submitted);
                model = new Model();
                model.amend(submitted);
                mayChange = () => true;
                break;
            }
            const [after, record] = [await storedItem(), await read()];
            expect(record.documents).toMatchObject(
              model.visible.map(({ documentType, label = null }) => ({ documentType, label })),
            );
            expect(record.documents).toHaveLength(model.visible.length);
            expect(record.assessments).toEqual([
              ...model.partners.filter((each) => !model.platforms.some((other) => isSame(each, other))),
              ...model.platforms,
            ]);
            const stored = (await reader().inspect(ORG, handle())).members.documents ?? [];
            for (const type of SENSITIVE_DOCUMENT_TYPES) {
              expect(stored.filter((each) => each.documentType === type)).toEqual(
                model.sensitive.get(type) ?? [],
              );
            }
            for (const attribute of APART) {
              if (!mayChange(attribute)) expect(after[attribute]).toEqual(before[attribute]);
            }
            [before, recordBefore] = [after, record];
          }
        },
      ),
      { numRuns: propertyRuns(25) },
    );
  });

  type AssessmentBody = Omit<PlatformAssessment, "externalId"> & { readonly externalId: string | null };
  const APART = [PLATFORM_ASSESSMENTS, ...SENSITIVE_DOCUMENT_TYPES.map((type) => `documents_${type}`)];
  const isSensitive = ({ documentType }: DocumentBody) =>
    (SENSITIVE_DOCUMENT_TYPES as readonly string[]).includes(documentType);
  const isSame = (left: AssessmentBody | PlatformAssessment, right: PlatformAssessment) =>
    left.externalId === right.externalId && left.provider === right.provider;
});
