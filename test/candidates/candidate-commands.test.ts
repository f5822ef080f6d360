import { describe, expect, test } from "vitest";
import {
  AdvanceCandidate,
  AdvancedCandidate,
  InspectCandidate,
  InspectedCandidate,
} from "#candidates/candidate-commands";
import { platformView, summaryOf } from "#candidates/platform-view";
import { aCandidate } from "../builders/candidate.ts";
import { aDocument } from "../builders/submission.ts";
import { judge } from "../contract/judge.ts";

const candidate = { orgId: "acme", handle: "staged_1" };
const updatedAt = "2026-01-01T00:00:00.000Z";
const aReason = { code: "id_blurred", message: "The identity document cannot be read." };
const aResult = { externalId: "result-1", name: "Reasoning", status: "completed" };
const removal = { ...candidate, transition: "remove-document", documentType: "cv", updatedAt };

describe("AdvanceCandidate", () => {
  const score = (value: unknown) => ({ ...candidate, transition: "score", score: value });
  const rejection = (reasons: unknown) => ({ ...candidate, transition: "fail-validation", reasons });
  const assessed = (members: object) => ({
    ...candidate,
    transition: "assess",
    assessment: { ...aResult, ...members },
  });

  test.each([
    { ...candidate, transition: "verify" },
    { ...candidate, transition: "promote" },
    { ...candidate, transition: "revoke-consent" },
    { ...candidate, transition: "erase" },
    rejection([aReason]),
    rejection(Array(50).fill(aReason)),
    score(0),
    score(1e-130),
    score(100),
    score(null),
    removal,
    { ...removal, number: 1 },
  ])("accepts $transition unchanged (%#)", (input) => {
    expect(judge(AdvanceCandidate, input)).toEqual({ value: input });
  });

  test("accepts an assessment and fills in the defaults of omitted members", () => {
    const longest = "x".repeat(128);

    expect(judge(AdvanceCandidate, assessed({ externalId: longest, score: 98 }))).toEqual({
      value: assessed({ externalId: longest, score: 98, provider: "partner", competencies: [] }),
    });
  });

  test.each<[string, object, string]>([
    [
      "another transition",
      { ...candidate, transition: "hire" },
      "transition: one of verify, promote, fail-validation, revoke-consent, erase, score, assess, remove-document is expected",
    ],
    [
      "no organisation",
      { handle: "staged_1", transition: "verify" },
      "orgId: an organisation id of 1 to 64 lower-case letters, digits, - and _ is required",
    ],
    ["no handle", { orgId: "acme", transition: "verify" }, "handle: a stagedId or canonical id is required"],
    [
      "a handle that is no text",
      { orgId: "acme", handle: 1, transition: "erase" },
      "handle: a stagedId or canonical id is expected",
    ],
    [
      "a member of another transition",
      { ...candidate, transition: "verify", score: 1 },
      "score: no member of this name is expected",
    ],
    ["no reason", rejection([]), "reasons: an array of 1 to 50 items is expected"],
    [
      "too many reasons",
      rejection(Array(51).fill(aReason)),
      "reasons: an array of 1 to 50 items is expected",
    ],
    ["a score below 0", score(-1), "score: a number from 0 to 100, or null, is expected"],
    ["a score above 100", score(101), "score: a number from 0 to 100, or null, is expected"],
    [
      "a score that no number of DynamoDB can hold",
      score(9e-131),
      "score: 0, or a number of at least 1e-130, is expected",
    ],
    ["no score", score(undefined), "score: a number from 0 to 100, or null, is required"],
    [
      "an assessment without an identity",
      assessed({ externalId: null }),
      "assessment.externalId: a string of 1 to 128 characters is expected",
    ],
    [
      "an assessment with an empty identity",
      assessed({ externalId: "" }),
      "assessment.externalId: a string of 1 to 128 characters is expected",
    ],
    [
      "an assessment with too long an identity",
      assessed({ externalId: "x".repeat(129) }),
      "assessment.externalId: a string of 1 to 128 characters is expected",
    ],
    [
      "an assessment without a name",
      assessed({ name: undefined }),
      "assessment.name: a string of 1 to 200 characters is required",
    ],
    [
      "an assessment with two reports",
      assessed({ reportKey: "reports/1", reportUrl: "https://reports.example.com/1" }),
      "assessment: at most one of reportKey or reportUrl is expected",
    ],
    [
      "a document by the number 0",
      { ...removal, number: 0 },
      "number: a whole number from 1 to 9007199254740991 is expected",
    ],
    [
      "a document without the version it was seen in",
      { ...removal, updatedAt: undefined },
      "updatedAt: an RFC 3339 date-time with Z or an offset is required",
    ],
  ])("refuses %s and says what is expected", (_what, input, message) => {
    expect(judge(AdvanceCandidate, input)).toEqual({ message });
  });
});

describe("InspectCandidate", () => {
  const ofCaller = (externalId: unknown) => ({ orgId: "acme", externalId });

  test.each([candidate, ofCaller("1"), ofCaller("x".repeat(128))])(
    "accepts a handle or an externalId (%#)",
    (input) => {
      expect(judge(InspectCandidate, input)).toEqual({ value: input });
    },
  );

  test.each([
    { orgId: "acme" },
    { handle: "staged_1" },
    { externalId: "1" },
    { ...candidate, externalId: "1" },
  ])("refuses %j and says what is expected", (input) => {
    expect(judge(InspectCandidate, input)).toEqual({
      message: "body: orgId, and either a handle or an externalId of 1 to 128 characters, is expected",
    });
  });

  test.each([0, 129])("refuses an externalId of %i characters and says what is expected", (length) => {
    const externalId = "x".repeat(length);

    expect(judge(InspectCandidate, ofCaller(externalId))).toEqual({
      message: "externalId: a string of 1 to 128 characters is expected",
    });
  });
});

describe("the response of a candidate function that the platform command reads", () => {
  const received = aCandidate(
    { documents: [aDocument()] },
    {},
    { rejections: [{ sequence: 2, occurredAt: updatedAt, reasons: [aReason] }] },
  );
  const promoted = aCandidate({}, { status: "promoted", promotedAt: updatedAt, workReadinessScore: 7 });

  test.each([received, promoted])("contains every member that the functions return (%#)", (candidate) => {
    const summary = { ...summaryOf(candidate), changed: true };

    expect(AdvancedCandidate.parse(summary)).toEqual(summary);
    expect(InspectedCandidate.parse(platformView(candidate))).toEqual(platformView(candidate));
  });

  test.each(["received", "validation_failed", "verified", "promoted", "consent_revoked", "erased"])(
    "accepts the status %s",
    (status) => {
      const summary = { ...summaryOf(received), status, changed: false };

      expect(AdvancedCandidate.parse(summary)).toEqual(summary);
    },
  );

  test.each<[string, object]>([
    ["another status", { status: "hired" }],
    ["no handle", { stagedId: undefined }],
    ["no word on whether it changed", { changed: undefined }],
  ])("rejects a candidate with %s", (_what, members) => {
    expect(() => AdvancedCandidate.parse({ ...summaryOf(received), changed: true, ...members })).toThrow();
  });
});
