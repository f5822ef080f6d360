import { type DynamoDBDocumentClient, GetCommand } from "@aws-sdk/lib-dynamodb";
import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from "vitest";
import { candidateKey } from "#candidates/candidate-key";
import { CandidateReader } from "#candidates/candidate-reader";
import { CandidateRepository } from "#candidates/candidate-repository";
import { assessment, documentRemoval, transition } from "#candidates/change";
import { digestOf, parseHandle, stagedIdOf } from "#candidates/handles";
import { toCandidateRecord } from "#candidates/projection";
import type { CandidateRecord } from "#contract/candidate-record";
import { CandidateAmendment, CandidateSubmission } from "#contract/candidate-submission";
import { aCandidate } from "../builders/candidate.ts";
import { ACME } from "../builders/organisation.ts";
import {
  type AmendmentBody,
  aDocument,
  aFullSubmission,
  anExternalId,
  type SubmissionBody,
} from "../builders/submission.ts";
import { SENSITIVE_DOCUMENT_TYPES } from "../contract-schemas/bounds.ts";
import { aStore, type Store } from "../lifecycle/candidate-store.ts";

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
const repository = (client = store.client) => new CandidateRepository(client, store.tableName);
const reader = () => new CandidateReader(store.client, store.tableName);

const receive = (members: Partial<SubmissionBody> = {}) =>
  repository().receive(ACME, CandidateSubmission.parse(aFullSubmission({ externalId, ...members })));
const amend = async (body: AmendmentBody, client?: DynamoDBDocumentClient) =>
  toCandidateRecord(await repository(client).amend(ORG, handle(), CandidateAmendment.parse(body)));
const read = async () => toCandidateRecord(await reader().find(ORG, handle()));
const assess = (result: PlatformResult) => repository().change(ORG, handle(), assessment(result));
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

type PlatformResult = Parameters<typeof assessment>[0];
type DocumentBody = ReturnType<typeof aDocument>;

function aResult(overrides: Partial<PlatformResult> = {}): PlatformResult {
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

describe("documents", () => {
  const cv = aDocument({ label: "cv" });
  const passport = aDocument({ documentType: "identity_document", label: "passport" });
  const permit = aDocument({ documentType: "right_to_work", label: "permit" });

  test("replace what a reader sees, and keep every sensitive document that the body does not name", async () => {
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

  test("that are sensitive only leave a reader none", async () => {
    await receive({ documents: [cv, permit] });

    expect((await amend({ documents: [passport] })).documents).toEqual([]);
    expect(await storedLabels()).toEqual(["passport", "permit"]);
  });

  test("as an empty list remove all, the sensitive ones too", async () => {
    await receive({ documents: [cv, passport, permit] });

    await amend({ documents: [] });

    expect(await storedLabels()).toEqual([]);
    expect(Object.keys(await storedItem()).filter((name) => name.startsWith("documents"))).toEqual([]);
  });

  test("keep their order and every member", async () => {
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

  test("may be more in a record than in one body: the bound of 50 is a body's", async () => {
    const fifty = (documentType: DocumentBody["documentType"]) =>
      Array.from({ length: 50 }, (_, index) =>
        aDocument({ documentType, label: `${documentType} ${index}` }),
      );
    await receive({ documents: fifty("identity_document") });

    await amend({ documents: fifty("cv") });

    expect(await storedLabels()).toHaveLength(100);
  });
});

describe("assessments", () => {
  const partners = aResult({ name: "The partner's" });
  const platforms = aResult({ externalId: "result-2", provider: "proctor", name: "The platform's" });

  test("of the partner are replaced, those of the platform stay after them", async () => {
    await receive({ assessments: [partners] });
    await assess(platforms);

    const record = await amend({ assessments: [aResult({ externalId: "result-9", name: "New" })] });

    expect(record.assessments.map(({ name }) => name)).toEqual(["New", "The platform's"]);
    expect((await amend({ assessments: [] })).assessments).toEqual([platforms]);
  });

  test("of the platform win on the same identity, whoever was first", async () => {
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
  ])("of the partner with %s is not the platform's", async (_what, difference) => {
    await receive({ assessments: [] });
    await assess(aResult());

    expect((await amend({ assessments: [{ ...partners, ...difference }] })).assessments).toHaveLength(2);
  });

  test("may be more in a record than in one body", async () => {
    const assessments = Array.from({ length: 50 }, (_, index) => aResult({ externalId: `p-${index}` }));
    await receive({ assessments });
    await assess(platforms);

    expect((await read()).assessments).toHaveLength(51);
  });
});

describe("members", () => {
  test("that are omitted are kept, that are present replaced as a whole, that are null cleared", async () => {
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

  test("that race all hold", async () => {
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

describe("an amend is one request", () => {
  const full = writtenBack(toCandidateRecord(aCandidate(CandidateSubmission.parse(aFullSubmission()))));

  test.each<[string, AmendmentBody]>([
    ["of documents", { documents: [aDocument()] }],
    ["of sensitive documents", { documents: [aDocument({ documentType: "right_to_work" })] }],
    ["of no documents", { documents: [] }],
    ["of assessments", { assessments: [aResult()] }],
    ["of all that was read", full],
    ["that withdraws consent", { consentGiven: false }],
    ["that repeats the consent that stands", { consentGiven: true }],
  ])("%s", async (_what, body) => {
    await receive();
    await assess(aResult({ externalId: "the platform's" }));
    const sent: string[] = [];

    await amend(body, counting(sent));

    expect(sent).toEqual(["UpdateCommand"]);
  });

  test("but for consent that is given again to a frozen record: the second fires the event", async () => {
    await receive();
    await repository().change(ORG, handle(), transition("revoke-consent"));
    const sent: string[] = [];

    await amend({ consentGiven: true }, counting(sent));

    expect(sent).toEqual(["UpdateCommand", "UpdateCommand"]);
  });

  test("as create is, but for the first after an erasure", async () => {
    const sent: string[] = [];
    const create = () =>
      repository(counting(sent)).receive(ACME, CandidateSubmission.parse(aFullSubmission({ externalId })));

    await create();
    await create();
    await repository().change(ORG, handle(), transition("erase"));
    await create();

    expect(sent).toEqual(["PutCommand", "PutCommand", "PutCommand", "PutCommand"]);
  });

  function counting(sent: string[]): DynamoDBDocumentClient {
    return Object.create(store.client, {
      send: {
        value: (command: Parameters<DynamoDBDocumentClient["send"]>[0]) => {
          sent.push(command.constructor.name);
          return store.client.send(command);
        },
      },
    });
  }
});

describe("the removal of a document", () => {
  const remove = (...of: Parameters<typeof documentRemoval>) =>
    repository().change(ORG, handle(), documentRemoval(...of));
  const clearance = (label: string) => aDocument({ documentType: "police_clearance", label });

  test.each(["police_clearance", "cv"] as const)(
    "takes the only one of its type: %s",
    async (documentType) => {
      await receive({ documents: [clearance("a"), aDocument({ label: "b" })] });
      await store.firedSinceLastAsked();

      await expect(remove(documentType)).resolves.toMatchObject({ changed: true });

      expect(await storedLabels()).toEqual(documentType === "cv" ? ["a"] : ["b"]);
      expect(await store.firedSinceLastAsked()).toEqual([]);
    },
  );

  test("takes the one of its number among several", async () => {
    await receive({
      documents: [clearance("a"), aDocument({ label: "cv" }), clearance("b"), clearance("c")],
    });
    const { updatedAt } = (await reader().inspect(ORG, handle())).state;

    await expect(remove("police_clearance")).rejects.toMatchObject({ code: "invalid_request" });
    await remove("police_clearance", { number: 2, updatedAt });

    expect(await storedLabels()).toEqual(["a", "c", "cv"]);
  });

  test("is refused when the record has changed since it was shown", async () => {
    await receive({ documents: [clearance("a"), clearance("b")] });
    const { updatedAt } = (await reader().inspect(ORG, handle())).state;
    await amend({ documents: [clearance("c"), clearance("d")] });

    await expect(remove("police_clearance", { number: 1, updatedAt })).rejects.toMatchObject({
      code: "invalid_request",
    });
    expect(await storedLabels()).toEqual(["c", "d"]);
  });

  test("is refused where there is none such", async () => {
    await receive({ documents: [clearance("a")] });
    const { updatedAt } = (await reader().inspect(ORG, handle())).state;

    await expect(remove("cv")).rejects.toMatchObject({ code: "invalid_request" });
    await expect(remove("police_clearance", { number: 2, updatedAt })).rejects.toMatchObject({
      code: "invalid_request",
    });
    expect(await storedLabels()).toEqual(["a"]);
  });

  test("works on a frozen record, and not on an erased one", async () => {
    await receive({ documents: [clearance("a")] });
    await repository().change(ORG, handle(), transition("revoke-consent"));

    await expect(remove("police_clearance")).resolves.toMatchObject({ changed: true });
    await repository().change(ORG, handle(), transition("erase"));

    await expect(remove("police_clearance")).rejects.toMatchObject({ code: "not_found" });
  });
});

describe("any sequence of the partner's and the platform's writes", () => {
  const TYPES = ["cv", "portfolio", ...SENSITIVE_DOCUMENT_TYPES] as const;
  const aDocumentBody = fc.record({
    documentType: fc.constantFrom(...TYPES),
    label: fc.constantFrom("a", "b", "c", null),
  });
  const anAssessmentBody = fc.record({
    provider: fc.constantFrom("partner", "proctor"),
    externalId: fc.constantFrom("1", "2", "3", null),
    score: fc.integer({ min: 0, max: 100 }),
  });
  const aWrite = fc.oneof(
    fc.record({ do: fc.constant("documents" as const), list: fc.array(aDocumentBody, { maxLength: 4 }) }),
    fc.record({
      do: fc.constant("assessments" as const),
      list: fc.array(anAssessmentBody, { maxLength: 4 }),
    }),
    fc.record({
      do: fc.constant("assess" as const),
      result: anAssessmentBody.filter(({ externalId }) => externalId !== null),
    }),
    fc.record({ do: fc.constant("write back" as const) }),
    fc.record({ do: fc.constant("other" as const), headline: fc.constantFrom("x", null) }),
    fc.record({ do: fc.constant("freeze and restore" as const) }),
  );

  test("keeps the platform's assessments and each sensitive document that no body names, byte for byte", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(aWrite, { minLength: 1, maxLength: 12, size: "max" }), async (writes) => {
        externalId = anExternalId();
        await receive({ documents: [], assessments: [] });
        let visible: DocumentBody[] = [];
        const sensitive = new Map<string, DocumentBody[]>();
        let partners: PlatformBody[] = [];
        const platforms: PlatformResult[] = [];

        for (const write of writes) {
          const [before, recordBefore] = [await storedItem(), await read()];
          switch (write.do) {
            case "documents": {
              const documents = write.list.map((each) => aDocument(each));
              await amend({ documents });
              const isSensitive = ({ documentType }: DocumentBody) =>
                (SENSITIVE_DOCUMENT_TYPES as readonly string[]).includes(documentType);
              visible = documents.filter((each) => !isSensitive(each));
              if (documents.length === 0) sensitive.clear();
              const named = Object.entries(Object.groupBy(documents.filter(isSensitive), typeOf));
              for (const [type, list = []] of named) sensitive.set(type, list);
              break;
            }
            case "assessments":
              partners = write.list.map((each) => ({ ...aResult(), ...each }) as PlatformBody);
              await amend({ assessments: partners });
              break;
            case "assess": {
              const result = aResult(write.result as Partial<PlatformResult>);
              await assess(result);
              const place = platforms.findIndex((each) => isSame(each, result));
              platforms.splice(place < 0 ? platforms.length : place, 1, result);
              break;
            }
            case "write back": {
              // The one list that says more than what was read: none at all.
              const { documents = [], ...others } = writtenBack(recordBefore);
              const body = { ...others, ...(documents.length > 0 && { documents }) };
              expect(withoutTime(await amend(body))).toEqual(withoutTime(recordBefore));
              break;
            }
            case "other":
              await amend({ headline: write.headline });
              break;
            case "freeze and restore":
              await amend({ consentGiven: false });
              await amend({ consentGiven: true });
              break;
          }
          const [after, record] = [await storedItem(), await read()];
          expect(record.documents).toMatchObject(
            visible.map(({ documentType, label }) => ({ documentType, label })),
          );
          expect(record.documents).toHaveLength(visible.length);
          expect(record.assessments).toEqual([
            ...partners.filter((each) => !platforms.some((other) => isSame(each, other))),
            ...platforms,
          ]);
          const stored = (await reader().inspect(ORG, handle())).members.documents ?? [];
          for (const type of SENSITIVE_DOCUMENT_TYPES) {
            expect(stored.filter((each) => each.documentType === type)).toEqual(sensitive.get(type) ?? []);
            const namesIt =
              write.do === "documents" &&
              (write.list.length === 0 || write.list.some(({ documentType }) => documentType === type));
            if (!namesIt) expect(after[`documents_${type}`]).toEqual(before[`documents_${type}`]);
          }
          if (write.do !== "assess")
            expect(after["platformAssessments"]).toEqual(before["platformAssessments"]);
        }
      }),
      { numRuns: 25 },
    );
  });

  type PlatformBody = Omit<PlatformResult, "externalId"> & { readonly externalId: string | null };
  const typeOf = ({ documentType }: DocumentBody) => documentType;
  const isSame = (left: PlatformBody | PlatformResult, right: PlatformResult) =>
    left.externalId === right.externalId && left.provider === right.provider;
});
