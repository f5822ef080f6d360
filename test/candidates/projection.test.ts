import fc from "fast-check";
import { afterEach, describe, expect, test, vi } from "vitest";
import * as z from "zod/mini";
import type { Candidate } from "#candidates/candidate";
import { toCandidateRecord } from "#candidates/projection";
import { CandidateSubmission } from "#contract/candidate-submission";
import { A_DIGEST, aCandidate } from "../builders/candidate.ts";
import { aDocument, aFullSubmission, aSubmission } from "../builders/submission.ts";
import {
  AMENDABLE,
  NOT_AMENDABLE,
  SENSITIVE_DOCUMENT_TYPES,
  SHARED_DOCUMENT_TYPES,
} from "../contract/bounds.ts";
import { anySubmission } from "../contract/cases.ts";
import { PLATFORM_MEMBERS, RETURNED, recordMembersOf } from "../contract/expected-record.ts";

const platform = {
  id: `staged_${A_DIGEST}`,
  status: "received",
  availabilityStatus: "pending",
  verificationStatus: "in_review",
  workReadinessScore: null,
  updatedAt: "2026-01-02T00:00:00.000Z",
};

describe("the candidate record", () => {
  test("contains what was submitted, in exactly the contract's members", () => {
    const body = aFullSubmission();

    const record = toCandidateRecord(aCandidate(CandidateSubmission.parse(body)));

    expect(record).toEqual({ ...recordMembersOf(body), ...platform });
  });

  test("of a minimal submission has nulls, empty lists and no nationality", () => {
    const { externalId, firstName, lastName, countryOfResidence } = aSubmission({ externalId: "e-1" });

    const record = toCandidateRecord(aCandidate({ externalId, firstName, lastName, countryOfResidence }));

    expect(record).toEqual({
      externalId: "e-1",
      firstName: "Adelaide",
      lastName: "Lovelace",
      countryOfResidence: "GB",
      middleName: null,
      preferredName: null,
      headline: null,
      summary: null,
      jobPreferences: { desiredTitles: [], employmentTypes: [], preferredCountries: [] },
      skills: [],
      workHistory: [],
      education: [],
      languages: [],
      workEligibility: [],
      tags: [],
      documents: [],
      links: [],
      media: [],
      assessments: [],
      ...platform,
    });
  });

  test("maps any submission as the contract's tables specify", () => {
    fc.assert(
      fc.property(anySubmission, (body) => {
        const record = toCandidateRecord(aCandidate(CandidateSubmission.parse(body)));

        expect(record).toEqual({ ...recordMembersOf(body), ...platform });
      }),
    );
  });

  test("has nulls for unset members of a work history item, a document and a version", () => {
    const record = toCandidateRecord(
      aCandidate({
        workHistory: [{ employer: "A", jobTitle: "B", startDate: "2020-01-01" }],
        documents: [aDocument()],
      }),
    );

    expect(record.workHistory[0]).toMatchObject({ endDate: null, location: null, description: null });
    expect(record.documents[0]).toMatchObject({
      label: null,
      versions: [
        { fileName: null, contentType: null, sizeBytes: null, checksum: null, uploadedByExternalId: null },
      ],
    });
  });

  test("has the staged handle before promotion and the canonical one after it", () => {
    expect(toCandidateRecord(aCandidate({})).id).toBe(`staged_${A_DIGEST}`);
    expect(toCandidateRecord(aCandidate({}, { promotedAt: "2026-01-03T00:00:00.000Z" })).id).toBe(
      `cand_${A_DIGEST}`,
    );
  });

  test.each([0, 55.5, 100])("contains the work-readiness score %d", (workReadinessScore) => {
    expect(toCandidateRecord(aCandidate({}, { workReadinessScore })).workReadinessScore).toBe(
      workReadinessScore,
    );
  });
});

describe("the safe projection", () => {
  const personal = [
    ["email", "canary@example.com"],
    ["phone", "canary"],
    ["dateOfBirth", "1999-09-09"],
    ["gender", "canary"],
    ["address", { line1: "canary", country: "GB" }],
    ["referees", [{ name: "canary" }]],
    ["source", { provider: "canary" }],
    ["consents", [{ type: "canary", granted: true }]],
    ["consentGiven", true],
  ] as const;

  test("is tested with each member that reads do not return", () => {
    const unreturned = [...AMENDABLE, ...NOT_AMENDABLE].filter((name) => !RETURNED.includes(name));

    expect(personal.map(([member]) => member).sort(), "give each a value in `personal`").toEqual(
      unreturned.sort(),
    );
  });

  test.each(personal)("omits %s", (member, value) => {
    const record = toCandidateRecord(aCandidate({ [member]: value }));

    expect(record).not.toHaveProperty(member);
    expect(JSON.stringify(record)).not.toMatch(/canary|1999/);
  });

  test.each(SENSITIVE_DOCUMENT_TYPES)(
    "omits a document of the type %s with all its versions",
    (documentType) => {
      const record = toCandidateRecord(
        aCandidate({ documents: [aDocument({ documentType, label: "canary" }), aDocument()] }),
      );

      expect(record.documents).toHaveLength(1);
      expect(JSON.stringify(record)).not.toMatch(`canary|${documentType}`);
    },
  );

  test.each(["tax_return", "CV", "cv ", "__proto__", "toString", "", null, undefined, ["cv"]])(
    "omits a document of the unlisted type %j",
    (documentType) => {
      const document = { ...aDocument(), documentType };

      expect(toCandidateRecord(aCandidate({ documents: [document] })).documents).toEqual([]);
    },
  );

  test.each(SHARED_DOCUMENT_TYPES)("contains a document of the type %s", (documentType) => {
    const record = toCandidateRecord(aCandidate({ documents: [aDocument({ documentType })] }));

    expect(record.documents).toHaveLength(1);
  });

  test("omits stored members outside the contract, at every depth", () => {
    const stored = withLeaks({
      ...aFullSubmission(),
      pk: "CANDIDATE#acme#x",
      sk: "RECORD",
      event: { id: "evt_1" },
    });
    const state = withLeaks(aCandidate({}).state) as Candidate["state"];

    const record = toCandidateRecord(aCandidate(stored, state));

    expect(JSON.stringify(stored)).toContain("leak");
    expect(JSON.stringify(record)).not.toMatch(/leak|CANDIDATE#|evt_/);
    expect(Object.keys(record).sort()).toEqual(
      [...Object.keys(recordMembersOf(aFullSubmission())), ...PLATFORM_MEMBERS].sort(),
    );
  });

  test("omits inherited properties", () => {
    const skill = { name: "Mathematics", yearsExperience: 12 };
    const inheriting = Object.assign(Object.create({ proficiency: "leak" }), skill);

    expect(toCandidateRecord(aCandidate({ skills: [inheriting] })).skills).toEqual([skill]);
  });
});

describe("a member or document type added to the submission schema", () => {
  const MODULES = [
    "#contract/assessment",
    "#contract/candidate-objects",
    "#contract/document",
    "#contract/candidate-submission",
  ];

  afterEach(() => {
    for (const module of MODULES) vi.doUnmock(module);
    vi.resetModules();
  });

  test("is accepted, and not returned until the projection lists it", async () => {
    vi.resetModules();
    for (const module of MODULES) {
      vi.doMock(module, async (importOriginal) => {
        const original = await importOriginal<Record<string, unknown>>();
        return Object.fromEntries(
          Object.entries(original).map(([name, value]) => [name, isSchema(value) ? withMore(value) : value]),
        );
      });
    }
    const { CandidateSubmission: Extended } = await import("#contract/candidate-submission");
    const { toCandidateRecord: project } = await import("#candidates/projection");
    const leaky = withLeaks({ ...aFullSubmission() }) as ReturnType<typeof aFullSubmission>;
    const taxReturn = { ...aDocument({ label: "leak" }), documentType: "tax_return" };

    const accepted = Extended.parse({ ...leaky, documents: [...(leaky.documents ?? []), taxReturn] });
    const record = project(aCandidate(accepted));

    expect(accepted).toHaveProperty("leak");
    expect(accepted).toHaveProperty("skills.0.leak");
    expect(accepted).toHaveProperty("documents.0.versions.0.leak");
    expect(accepted).toHaveProperty("documents.1.documentType", "tax_return");
    expect(record).toEqual(toCandidateRecord(aCandidate(CandidateSubmission.parse(withoutLeaks(leaky)))));
    expect(JSON.stringify(record)).not.toMatch(/leak|tax_return/);
  });
});

type Json = Record<string, unknown>;

/** Every object, at every depth, with one member more. */
function withLeaks(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withLeaks);
  if (typeof value !== "object" || value === null) return value;
  return { ...mapValues(value as Json, withLeaks), leak: "leak" };
}

function withoutLeaks(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (name, found) => (name === "leak" ? undefined : found));
}

function isSchema(value: unknown): value is z.core.$ZodType {
  return typeof value === "object" && value !== null && "_zod" in value;
}

/** The schema as it would be, had someone added a member to each of its objects and a document type. */
function withMore(schema: z.core.$ZodType): z.core.$ZodType {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case "object":
      return z.strictObject({ ...mapValues(def.shape, withMore), leak: z.optional(z.string()) });
    case "array":
      return z.array(withMore(def.element));
    case "optional":
      return z.optional(withMore(def.innerType));
    case "nullable":
      return z.nullable(withMore(def.innerType));
    case "default":
      return z._default(withMore(def.innerType), def.defaultValue);
    case "pipe":
      return z.pipe(def.in, withMore(def.out));
    case "enum":
      return "identity_document" in def.entries
        ? z.enum([...Object.keys(def.entries), "tax_return"])
        : schema;
    default:
      return schema;
  }
}

function mapValues<Value, Mapped>(
  source: Readonly<Record<string, Value>>,
  map: (value: Value) => Mapped,
): Record<string, Mapped> {
  return Object.fromEntries(Object.entries(source).map(([name, value]) => [name, map(value)]));
}
