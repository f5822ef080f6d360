import fc from "fast-check";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { canonicalIdOf, digestOf, stagedIdOf } from "#candidates/handles";
import { readOutbox, toCandidateEvent } from "#candidates/outbox/outbox";
import { sampleCandidateEvent } from "#candidates/outbox/sample-event";
import { candidateKey } from "#candidates/store/item/candidate-key";
import { ITEM_VERSION } from "#candidates/store/item/item-version";
import { newOutboxEvent } from "#candidates/store/item/outbox-event";
import { CANDIDATE_EVENT_TYPES } from "#contract/events";
import { newEndpointId, newEventId } from "#contract/identifiers";
import { runtime } from "#runtime/runtime";
import { deliveryOf } from "#webhooks/delivery/delivery";
import { ACME } from "../../builders/organisation.ts";
import { runtimeAt } from "../../builders/runtime.ts";
import { anItem, anOutboxRecord, NOW } from "../../webhooks/builders.ts";

const EXTERNAL_ID = "ext-1";
const DIGEST = digestOf(ACME, EXTERNAL_ID);
const REASONS = [
  { code: "document_expired", message: "The certificate has expired." },
  { code: "other", message: "Ünreadable 😀" },
];

/** The item of a candidate that a write of this type leaves, as the lifecycle does it. */
const ITEMS = {
  "candidate.received": { status: "received" },
  "candidate.verified": { status: "verified", verificationStatus: "verified" },
  "candidate.promoted": {
    status: "promoted",
    verificationStatus: "verified",
    availabilityStatus: "available",
    promotedAt: NOW.toISOString(),
  },
  "candidate.validation_failed": { status: "validation_failed" },
  "candidate.consent_revoked": { status: "consent_revoked", verificationStatus: "verified" },
  "candidate.consent_restored": {
    status: "promoted",
    verificationStatus: "verified",
    availabilityStatus: "available",
    promotedAt: NOW.toISOString(),
  },
} as const;

function eventOf(type: keyof typeof ITEMS, submission: Parameters<typeof anItem>[0] = {}) {
  return toCandidateEvent(
    DIGEST,
    anItem({
      submission: { externalId: EXTERNAL_ID },
      ...submission,
      type,
      ...(type === "candidate.validation_failed" && { reasons: REASONS }),
      attributes: { sequence: 7, ...ITEMS[type] },
    }),
  );
}

function erasedEvent(promotedAt?: string) {
  return toCandidateEvent(DIGEST, {
    ...candidateKey("acme", DIGEST),
    status: "erased",
    receivedAt: NOW.toISOString(),
    updatedAt: NOW.toISOString(),
    promotedAt,
    writeId: "write",
    event: newOutboxEvent("candidate.erased", { eventId: newEventId(runtime), updatedAt: NOW.toISOString() }),
    sequence: 7,
    firstSequence: 1,
    itemVersion: ITEM_VERSION,
    deleteAfter: 1,
  });
}

/** The body as it is posted, with its members in order. */
function bodyOf(event: ReturnType<typeof eventOf>): string {
  return deliveryOf(event, "acme", newEndpointId(runtime), NOW).body;
}

describe("the webhook body of", () => {
  test.each([
    ["candidate.received", null, "received", "in_review", "pending"],
    ["candidate.verified", null, "verified", "verified", "pending"],
    ["candidate.promoted", canonicalIdOf(DIGEST), "promoted", "verified", "available"],
    ["candidate.consent_revoked", null, "consent_revoked", "verified", "pending"],
    ["candidate.consent_restored", canonicalIdOf(DIGEST), "promoted", "verified", "available"],
  ] as const)("%s is exactly as the decisions specify", (type, id, status, verification, availability) => {
    const event = eventOf(type);

    expect(bodyOf(event)).toBe(
      `{"id":"${event.id}","type":"${type}","apiVersion":"1.2.0","occurredAt":"2026-06-01T12:00:00.000Z",` +
        `"sequence":7,"data":{"stagedId":"${stagedIdOf(DIGEST)}","id":${JSON.stringify(id)},` +
        `"externalId":"ext-1","status":"${status}","verificationStatus":"${verification}",` +
        `"availabilityStatus":"${availability}"}}`,
    );
  });

  test("candidate.validation_failed ends with its reasons in order", () => {
    const event = eventOf("candidate.validation_failed");

    expect(bodyOf(event)).toBe(
      `{"id":"${event.id}","type":"candidate.validation_failed","apiVersion":"1.2.0",` +
        `"occurredAt":"2026-06-01T12:00:00.000Z","sequence":7,"data":{"stagedId":"${stagedIdOf(DIGEST)}",` +
        `"id":null,"externalId":"ext-1","status":"validation_failed","verificationStatus":"in_review",` +
        `"availabilityStatus":"pending","reasons":${JSON.stringify(REASONS)}}}`,
    );
  });

  test.each([
    ["before promotion", undefined, null],
    ["after promotion", NOW.toISOString(), canonicalIdOf(DIGEST)],
  ])("candidate.erased contains only the two handles and the status: %s", (_when, promotedAt, id) => {
    const event = erasedEvent(promotedAt);

    expect(bodyOf(event)).toBe(
      `{"id":"${event.id}","type":"candidate.erased","apiVersion":"1.2.0",` +
        `"occurredAt":"2026-06-01T12:00:00.000Z","sequence":7,"data":{"stagedId":"${stagedIdOf(DIGEST)}",` +
        `"id":${JSON.stringify(id)},"status":"erased"}}`,
    );
  });

  test("an event contains the externalId as the partner sent it", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", minLength: 1, maxLength: 30 }), (externalId) => {
        const body = bodyOf(eventOf("candidate.received", { submission: { externalId } }));

        expect(JSON.parse(body).data.externalId).toBe(externalId);
        expect(Buffer.from(body, "utf8").toString("utf8")).toBe(body);
      }),
    );
  });

  test("an event contains the longest externalId in full", () => {
    const externalId = "x".repeat(128);

    expect(eventOf("candidate.received", { submission: { externalId } }).data).toMatchObject({ externalId });
  });
});

describe("the outbox of an item", () => {
  const recordOf = (attributes: Record<string, unknown>) => anOutboxRecord({ attributes });

  test("of another version is not read", () => {
    expect(() => readOutbox(recordOf({ itemVersion: ITEM_VERSION + 1 }))).toThrow(/version/);
  });

  test("that was parked without its version is read as one of the first version", () => {
    expect(readOutbox(recordOf({ itemVersion: undefined })).event.type).toBe("candidate.received");
  });
});

describe("rejection reasons", () => {
  test.each(
    Object.keys(ITEMS).filter((type) => type !== "candidate.validation_failed") as (keyof typeof ITEMS)[],
  )("are never sent with %s, even if the outbox contains some", (type) => {
    const item = anItem({ type, reasons: REASONS, attributes: ITEMS[type] });

    expect(JSON.stringify(toCandidateEvent(DIGEST, item))).not.toContain("reasons");
  });
});

describe("personal data", () => {
  /** Members of a submission, with a word in each text that could be sent. */
  const canaries = {
    firstName: "canary",
    middleName: "canary",
    preferredName: "canary",
    lastName: "canary",
    headline: "canary",
    summary: `canary ${"x".repeat(2_000)}`,
    email: "canary@example.com",
    phone: "+1 canary",
    dateOfBirth: "1985-12-10",
    nationality: "ZZ",
    countryOfResidence: "ZY",
    address: { line1: "canary", city: "canary", country: "ZX" },
    referees: [{ name: "canary", email: "canary@example.org" }],
    tags: ["canary"],
    skills: [{ name: "canary", yearsExperience: 1 }],
    links: [{ type: "website" as const, url: "https://canary.example.com/" }],
  };

  test.each(Object.keys(ITEMS) as (keyof typeof ITEMS)[])(
    "of a full submission is not sent with %s",
    (type) => {
      const event = eventOf(type, { submission: { externalId: EXTERNAL_ID, ...canaries } });

      expect(bodyOf(event)).not.toMatch(/canary|1985|"Z[XYZ]"|Lovelace|London|Babbage|example\.com/);
      expect(Object.keys(event.data).sort()).toEqual(
        [
          "availabilityStatus",
          "externalId",
          "id",
          ...(type === "candidate.validation_failed" ? ["reasons"] : []),
          "stagedId",
          "status",
          "verificationStatus",
        ].sort(),
      );
    },
  );

  test("is not sent with candidate.erased, even if the item still contains some", () => {
    const item = anItem({
      submission: { externalId: EXTERNAL_ID, ...canaries },
      type: "candidate.erased",
      attributes: { status: "erased" },
    });

    const body = bodyOf(toCandidateEvent(DIGEST, item));

    expect(body).not.toMatch(/canary|ext-1/);
    expect(Object.keys(JSON.parse(body).data)).toEqual(["stagedId", "id", "status"]);
  });
});

describe("a sample event", () => {
  test.each(CANDIDATE_EVENT_TYPES)(
    "of %s has the members of the real event and is marked as a sample",
    (type) => {
      const sample = sampleCandidateEvent(
        type,
        runtimeAt(() => NOW),
      );
      const real = type === "candidate.erased" ? erasedEvent() : eventOf(type);

      expect(Object.keys(sample)).toEqual([
        "id",
        "type",
        "apiVersion",
        "occurredAt",
        "sequence",
        "sample",
        "data",
      ]);
      expect(sample).toMatchObject({
        type,
        apiVersion: "1.2.0",
        occurredAt: NOW.toISOString(),
        sequence: 1,
        sample: true,
      });
      expect(Object.keys(sample.data)).toEqual(Object.keys(real.data));
      expect(sample.data.status).toBe(
        type === "candidate.consent_restored" ? "received" : type.slice("candidate.".length),
      );
      expect(sample.data.stagedId).toMatch(/^staged_[0-9a-hjkmnp-tv-z]{26}$/);
      expect(sample.data.id === null).toBe(type !== "candidate.promoted");
    },
  );

  test("has a new id each time", () => {
    expect(
      sampleCandidateEvent(
        "candidate.received",
        runtimeAt(() => NOW),
      ).id,
    ).not.toBe(
      sampleCandidateEvent(
        "candidate.received",
        runtimeAt(() => NOW),
      ).id,
    );
  });

  test("becomes a delivery that is marked as a sample", () => {
    const event = sampleCandidateEvent(
      "candidate.erased",
      runtimeAt(() => NOW),
    );

    expect(deliveryOf(event, "acme", "whe_1", NOW)).toEqual({
      orgId: "acme",
      endpointId: "whe_1",
      eventId: event.id,
      eventType: "candidate.erased",
      body: JSON.stringify(event),
      attempt: 1,
      dueAt: NOW.toISOString(),
      sample: true,
    });
  });
});

describe("a real event", () => {
  test("has no sample marker", () => {
    expect(bodyOf(eventOf("candidate.received"))).not.toContain("sample");
    expect(deliveryOf(eventOf("candidate.received"), "acme", "whe_1", NOW)).not.toHaveProperty("sample");
  });

  test("that cannot be built from the item is an error, not a partial event", () => {
    for (const attributes of [
      { event: undefined },
      { externalId: undefined },
      { status: "erased" },
      { sequence: "7" },
      { verificationStatus: undefined },
    ]) {
      expect(() => toCandidateEvent(DIGEST, anItem({ attributes }))).toThrow();
    }
  });
});

describe.each([
  ["event", newEventId, "evt"],
  ["endpoint", newEndpointId, "whe"],
] as const)("the id of an %s", (_what, newId, prefix) => {
  test("is its prefix and 128 bits in Crockford's base 32", () => {
    expect(newId(runtime)).toMatch(new RegExp(`^${prefix}_[0-7][0-9a-hjkmnp-tv-z]{25}$`));
  });

  test("is unique", () => {
    expect(new Set(Array.from({ length: 5_000 }, () => newId(runtime))).size).toBe(5_000);
  });

  test("sorts by the millisecond of its creation", () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const ids = Array.from({ length: 500 }, (_, index) => {
      vi.setSystemTime(NOW.getTime() + index);
      return newId(runtime);
    });

    expect(ids.toSorted()).toEqual(ids);
  });
});
