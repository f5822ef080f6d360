import { QueryCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from "vitest";
import { assessment, erasureRequest, transition, workReadinessScore } from "#candidates/change";
import { canonicalIdOf, digestOf, parseHandle, stagedIdOf } from "#candidates/handles";
import { readOutbox } from "#candidates/outbox/outbox";
import { CandidateReader } from "#candidates/store/candidate-reader";
import { CandidateRepository } from "#candidates/store/candidate-repository";
import { candidateKey } from "#candidates/store/item/candidate-key";
import { ITEM_VERSION } from "#candidates/store/item/item-version";
import type { Assessment } from "#contract/assessment";
import { CandidateSubmission } from "#contract/candidate-submission";
import { ServiceError } from "#contract/errors";
import type { CandidateEvent } from "#contract/events";
import { PLATFORM_TRANSITIONS, type PlatformTransition } from "#contract/platform-transition";
import { runtime } from "#runtime/runtime";
import { clientAround } from "../builders/client-around.ts";
import { ACME } from "../builders/organisation.ts";
import { runtimeAt } from "../builders/runtime.ts";
import { aFullSubmission } from "../builders/submission.ts";
import { propertyRuns } from "../property-runs.ts";
import { aStore, type Store } from "./candidate-store.ts";
import {
  ALL_TRANSITIONS,
  after,
  ENTERING,
  EXPECTED_EFFECTS,
  type Line,
  type Statuses,
} from "./expected-lifecycle.ts";
import { aStep, LifecycleModel, type Step, type StepResult } from "./lifecycle-model.ts";

const ORG = "acme";
const REASONS = [{ code: "unreadable", message: "A document cannot be read." }];

let store: Store;
let candidates: CandidateRepository;
let reader: CandidateReader;

beforeAll(async () => {
  store = await aStore(inject("dynamoDbEndpoint"));
  candidates = new CandidateRepository(store.client, store.tableName, runtime);
  reader = new CandidateReader(store.client, store.tableName, runtime);
});
afterAll(() => store?.close());

let externalId: string;
let serial = 0;

beforeEach(async () => {
  serial += 1;
  externalId = `candidate-${serial}`;
  await store.firedSinceLastAsked();
});

const staged = () => parseHandle(stagedIdOf(digestOf(ACME, externalId)));
const canonical = () => parseHandle(canonicalIdOf(digestOf(ACME, externalId)));

const submission = (overrides: object = {}) =>
  CandidateSubmission.parse(aFullSubmission({ externalId, ...overrides }));

const receive = () => candidates.receive(ACME, submission());
const move = (name: PlatformTransition) =>
  candidates.change(ORG, staged(), transition(name, name === "fail-validation" ? REASONS : undefined));

/** The events of the writes since the test began, as subscribers would get them. */
async function events(): Promise<CandidateEvent[]> {
  const fired = await store.firedSinceLastAsked();
  return fired.map((record) => readOutbox(record).event);
}

const stateNow = async () => (await reader.inspect(ORG, staged())).state;
const statuses = async () => statusesOf(await stateNow());

function statusesOf(state: Awaited<ReturnType<typeof stateNow>>): Statuses {
  const { status, verificationStatus, availabilityStatus } = state;
  return {
    status,
    verification: verificationStatus ?? "in_review",
    availability: availabilityStatus ?? "pending",
  };
}

/** How a candidate gets to each line of the table. */
const WAYS: Record<Exclude<Line, "validation_failed">, readonly PlatformTransition[]> = {
  received: [],
  "failed for these very reasons": ["fail-validation"],
  verified: ["verify"],
  promoted: ["promote"],
  "promoted and verified": ["verify", "promote"],
  consent_revoked: ["verify", "revoke-consent"],
  erased: ["erase"],
};

/** Makes a transition as its caller does. */
const STEPS: Record<(typeof ALL_TRANSITIONS)[number], () => Promise<"changed" | "unchanged">> = {
  verify: async () => (await move("verify")).kind,
  promote: async () => (await move("promote")).kind,
  "fail-validation": async () => (await move("fail-validation")).kind,
  "revoke-consent": async () => (await move("revoke-consent")).kind,
  erase: async () => (await move("erase")).kind,
  create: async () => ((await receive()).kind === "created" ? "changed" : "unchanged"),
  "restore-consent": async () => {
    const { state } = await reader.inspect(ORG, staged());
    await candidates.amend(ORG, staged(), { consentGiven: true }, {});
    return state.status === "consent_revoked" ? "changed" : "unchanged";
  },
};

describe.each(Object.entries(WAYS))("a stored candidate, %s", (line, way) => {
  test.each(ALL_TRANSITIONS)("changes on %s as the decisions specify", async (name) => {
    await receive();
    let beforeRevocation: Statuses | undefined;
    for (const step of way) {
      if (step === "revoke-consent") beforeRevocation = await statuses();
      await move(step);
    }
    const stateBefore = await stateNow();
    const before = statusesOf(stateBefore);
    const { sequence, updatedAt } = stateBefore;
    await store.firedSinceLastAsked();
    const expected = EXPECTED_EFFECTS[name][line as Line];

    const outcome = STEPS[name]();

    if (expected === "refused") {
      const code = name === "restore-consent" ? "not_found" : "invalid_request";
      await expect(outcome).rejects.toMatchObject({ code });
    } else {
      expect(await outcome).toBe(expected === "in effect" ? "unchanged" : "changed");
    }
    const state = await stateNow();
    if (typeof expected === "string") {
      expect(statusesOf(state)).toEqual(before);
      expect(state.sequence).toBe(sequence);
      // Consent that stands may be sent again, like any member.
      if (name !== "restore-consent") expect(state.updatedAt).toBe(updatedAt);
      expect(await events()).toEqual([]);
      return;
    }
    expect(state.updatedAt > updatedAt).toBe(true);
    const fired = await events();
    const next = after(expected, before, beforeRevocation);
    expect(fired).toHaveLength(1);
    expect(fired[0]).toMatchObject({
      type: expected.event,
      sequence: sequence + 1,
      occurredAt: state.updatedAt,
      data: { stagedId: stagedIdOf(staged().digest), status: next.status },
    });
    if (expected.status !== "erased") expect(statusesOf(state)).toEqual(next);
  });
});

describe("create", () => {
  test("enters intake, and repeated changes nothing and fires no event", async () => {
    const first = await receive();
    const again = await candidates.receive(ACME, submission({ firstName: "Another" }));

    expect(first.kind).toBe("created");
    expect(again).toEqual({ kind: "replayed", response: first.response });
    expect(await statuses()).toEqual(ENTERING);
    expect((await reader.find(ORG, staged())).members.firstName).toBe("Adelaide");
    expect(await events()).toMatchObject([{ type: "candidate.received", sequence: 1 }]);
  });

  test("on a frozen record returns the original receipt", async () => {
    const { response } = await receive();
    await move("revoke-consent");

    await expect(receive()).resolves.toEqual({ kind: "replayed", response });
    expect((await statuses()).status).toBe("consent_revoked");
  });

  test("of an erased candidate starts anew under the same handles, with continued event numbers", async () => {
    await receive();
    await move("promote");
    await move("erase");
    await store.firedSinceLastAsked();

    const { kind, response } = await candidates.receive(ACME, submission({ firstName: "Grace" }));

    expect(kind).toBe("created");
    expect(response.stagedId).toBe(stagedIdOf(staged().digest));
    expect(await statuses()).toEqual(ENTERING);
    expect((await reader.find(ORG, staged())).members.firstName).toBe("Grace");
    await expect(reader.find(ORG, canonical())).rejects.toMatchObject({ code: "not_found" });
    expect(await events()).toMatchObject([
      { type: "candidate.received", sequence: 4, data: { id: null, status: "received" } },
    ]);
    expect((await reader.inspect(ORG, staged())).state).toMatchObject({ firstSequence: 4, sequence: 4 });
    expect(await rawItems()).not.toMatch(/deleteAfter|promotedAt/);
  });

  test("of an erased candidate is dated after the erasure, even if the clock is behind", async () => {
    await receive();
    await move("erase");
    const { updatedAt } = (await reader.inspect(ORG, staged())).state;
    const behind = new CandidateRepository(
      store.client,
      store.tableName,
      runtimeAt(() => new Date(0)),
    );

    const { response } = await behind.receive(ACME, submission());

    expect(response.receivedAt > updatedAt).toBe(true);
  });

  test("with the longest externalId, in characters and bytes, fires an event that contains it", async () => {
    externalId = `${externalId}-${"é".repeat(128)}`.slice(0, 128);

    await receive();

    expect(await events()).toMatchObject([{ data: { externalId } }]);
  });
});

describe("promotion", () => {
  test("makes the canonical id valid, and the stagedId stays valid", async () => {
    await receive();
    await expect(reader.find(ORG, canonical())).rejects.toMatchObject({ code: "not_found" });

    await move("promote");

    const [byStaged, byCanonical] = [await reader.find(ORG, staged()), await reader.find(ORG, canonical())];
    expect(byCanonical).toEqual(byStaged);
    expect((await events()).at(-1)?.data.id).toBe(canonicalIdOf(staged().digest));
  });

  test("shows in every later event", async () => {
    await receive();
    await move("promote");
    await move("verify");
    await move("revoke-consent");
    await move("erase");

    const id = canonicalIdOf(staged().digest);
    expect((await events()).map(({ data }) => data.id)).toEqual([null, id, id, id, id]);
  });
});

describe("a failed validation", () => {
  test("sends its reasons in its event, and in no later one", async () => {
    await receive();
    await move("fail-validation");
    await move("verify");

    const [, failed, verified] = await events();
    expect(failed?.data).toMatchObject({ status: "validation_failed", reasons: REASONS });
    expect(JSON.stringify(verified)).not.toContain("reasons");
  });

  const fail = (code: string) =>
    candidates.change(ORG, staged(), transition("fail-validation", [{ code, message: "A reason." }]));

  test("fires another event for other reasons, and none for the same", async () => {
    await receive();

    const outcomes = [];
    for (const code of ["one", "one", "two", "one"]) outcomes.push((await fail(code)).kind);

    expect(outcomes).toEqual(["changed", "unchanged", "changed", "changed"]);
    expect(
      (await events()).map(({ data }) => ("reasons" in data ? data.reasons[0]?.code : undefined)),
    ).toEqual([undefined, "one", "two", "one"]);
  });

  test("keeps the last ten rejections in the record, through amends and other transitions", async () => {
    await receive();
    for (let index = 1; index <= 11; index++) await fail(`reason_${index}`);
    await candidates.amend(ORG, staged(), { headline: "x" }, {});
    await move("verify");

    const { rejections } = await reader.inspect(ORG, staged());
    expect(rejections.map(({ sequence, reasons }) => [sequence, reasons[0]?.code])).toEqual(
      Array.from({ length: 10 }, (_, index) => [index + 3, `reason_${index + 2}`]),
    );
    const fired = await events();
    for (const { sequence, occurredAt, reasons } of rejections) {
      expect(fired.find((event) => event.sequence === sequence)).toMatchObject({
        occurredAt,
        data: { reasons },
      });
    }
  });

  test("is deleted by an erasure", async () => {
    await receive();
    await fail("one");
    await move("erase");
    await receive();

    expect((await reader.inspect(ORG, staged())).rejections).toEqual([]);
    expect((await fail("one")).kind).toBe("changed");
  });
});

describe("withdrawn consent", () => {
  const givenAgain = () => candidates.amend(ORG, staged(), { consentGiven: true }, {});

  test.each([
    ["by the platform", () => move("revoke-consent")],
    ["through an amend", () => candidates.amend(ORG, staged(), { consentGiven: false }, {})],
  ])("%s freezes reads and amends until consent is given again", async (_who, withdraw) => {
    await receive();
    await move("verify");
    await move("promote");
    const before = await statuses();

    await withdraw();

    for (const handle of [staged(), canonical()]) {
      await expect(reader.find(ORG, handle)).rejects.toMatchObject({ code: "consent_revoked" });
      await expect(candidates.amend(ORG, handle, { headline: "x" }, {})).rejects.toMatchObject({
        code: "consent_revoked",
      });
      await expect(candidates.amend(ORG, handle, {}, {})).rejects.toMatchObject({ code: "consent_revoked" });
    }
    expect((await reader.inspect(ORG, staged())).members.consentGiven).toBe(false);
    expect(await statuses()).toEqual({
      status: "consent_revoked",
      verification: "verified",
      availability: "pending",
    });

    await givenAgain();

    expect(await statuses()).toEqual(before);
    expect((await reader.find(ORG, canonical())).members.consentGiven).toBe(true);
    expect(await rawItems()).not.toContain("BeforeRevocation");
    expect((await events()).map(({ type }) => type)).toEqual([
      "candidate.received",
      "candidate.verified",
      "candidate.promoted",
      "candidate.consent_revoked",
      "candidate.consent_restored",
    ]);
  });

  test.each(["received", "failed for these very reasons", "verified", "promoted"] as const)(
    "given again restores the previous status: %s",
    async (line) => {
      await receive();
      for (const step of WAYS[line]) await move(step);
      const before = await statuses();

      await move("revoke-consent");
      await givenAgain();
      await move("revoke-consent");
      await givenAgain();

      expect(await statuses()).toEqual(before);
    },
  );

  test("does not prevent the other members of the same amend", async () => {
    await receive();
    await candidates.amend(ORG, staged(), { consentGiven: false, headline: "Last words", summary: null }, {});
    await givenAgain();

    const { members } = await reader.find(ORG, staged());
    expect(members.headline).toBe("Last words");
    expect(members.summary).toBeUndefined();
  });

  test("fires one event whichever way it is withdrawn, without a gap in the sequence", async () => {
    await receive();
    await candidates.amend(ORG, staged(), { consentGiven: false }, {});
    await givenAgain();
    await move("revoke-consent");
    await givenAgain();
    await move("verify");

    expect((await events()).map(({ type, sequence }) => [type, sequence])).toEqual([
      ["candidate.received", 1],
      ["candidate.consent_revoked", 2],
      ["candidate.consent_restored", 3],
      ["candidate.consent_revoked", 4],
      ["candidate.consent_restored", 5],
      ["candidate.verified", 6],
    ]);
  });

  test("is restored once, with one event, by concurrent calls", async () => {
    await receive();
    await move("revoke-consent");

    await Promise.all(
      ["a", "b", "c"].map((headline) =>
        candidates.amend(ORG, staged(), { consentGiven: true, headline }, {}),
      ),
    );

    expect((await events()).map(({ type }) => type)).toEqual([
      "candidate.received",
      "candidate.consent_revoked",
      "candidate.consent_restored",
    ]);
    expect((await reader.inspect(ORG, staged())).state.sequence).toBe(3);
  });

  test("given again with If-Match of an earlier version restores nothing", async () => {
    await receive();
    const { updatedAt } = (await reader.inspect(ORG, staged())).state;
    await move("revoke-consent");

    await expect(
      candidates.amend(ORG, staged(), { consentGiven: true }, { ifMatch: [updatedAt] }),
    ).rejects.toMatchObject({ code: "precondition_failed" });
    expect((await statuses()).status).toBe("consent_revoked");
  });
});

describe("erasure", () => {
  test.each(Object.entries(WAYS).filter(([line]) => line !== "erased"))(
    "from %s leaves only key, status and times, and makes the handles unknown",
    async (_line, way) => {
      await receive();
      for (const step of way) await move(step);

      await move("erase");

      for (const handle of [staged(), canonical()]) {
        await expect(reader.find(ORG, handle)).rejects.toMatchObject({ code: "not_found" });
        await expect(candidates.amend(ORG, handle, { headline: "x" }, {})).rejects.toMatchObject({
          code: "not_found",
        });
        await expect(candidates.amend(ORG, handle, { consentGiven: true }, {})).rejects.toMatchObject({
          code: "not_found",
        });
        await expect(candidates.amend(ORG, handle, {}, {})).rejects.toMatchObject({ code: "not_found" });
      }
      await expect(reader.findByExternalId(ACME, externalId)).rejects.toMatchObject({
        code: "not_found",
      });
      const items = await stored();
      expect(items).toHaveLength(1);
      expect(Object.keys(items[0] ?? {}).sort()).toEqual(
        [
          "deleteAfter",
          "event",
          "firstSequence",
          "sequence",
          "itemVersion",
          "pk",
          ...(way.includes("promote") ? ["promotedAt"] : []),
          "receivedAt",
          "sk",
          "status",
          "updatedAt",
          "writeId",
        ].sort(),
      );
    },
  );

  test("keeps a tombstone for 100 days, longer than any backup", async () => {
    await receive();
    await move("erase");

    const [tombstone] = await stored();
    const days = (Number(tombstone?.["deleteAfter"]) - Date.now() / 1000) / 86_400;
    expect(days).toBeGreaterThan(99.99);
    expect(days).toBeLessThan(100.01);
  });

  test("of a recreated candidate keeps the sequence number of its recreation", async () => {
    await receive();
    await move("erase");
    await receive();
    await move("verify");

    await move("erase");

    expect((await reader.inspect(ORG, staged())).state).toMatchObject({ firstSequence: 3, sequence: 5 });
  });

  test("fires an event with only the two handles and the status", async () => {
    await receive();
    await move("promote");
    await move("erase");

    const erased = (await events()).at(-1);
    expect(erased?.data).toEqual({
      stagedId: stagedIdOf(staged().digest),
      id: canonicalIdOf(staged().digest),
      status: "erased",
    });
  });

  test("makes later platform changes fail", async () => {
    await receive();
    await move("erase");

    await expect(candidates.change(ORG, staged(), workReadinessScore(1))).rejects.toMatchObject({
      code: "not_found",
    });
  });
});

describe("an erasure whose response was lost and that the SDK repeats", () => {
  test.each([
    ["and before whose repeat the candidate was created again leaves the new one alone", true],
    ["is done", false],
  ])("%s", async (_what, createdAgain) => {
    await receive();
    const client = clientAround(store.client, async ({ name }, send) => {
      const output = await send();
      if (name !== "Put") return output;
      if (createdAgain) await receive();
      // As the SDK repeats it.
      return send();
    });

    const erasing = new CandidateRepository(client, store.tableName, runtime).change(
      ORG,
      staged(),
      transition("erase"),
    );

    if (createdAgain) await expect(erasing).rejects.toMatchObject({ code: "not_found" });
    else await expect(erasing).resolves.toMatchObject({ kind: "changed" });
    expect((await statuses()).status).toBe(createdAgain ? "received" : "erased");
  });
});

describe("another organisation", () => {
  test("cannot advance, find or erase a candidate by its handles", async () => {
    await receive();
    await move("promote");

    for (const handle of [staged(), canonical()]) {
      await expect(reader.find("other", handle)).rejects.toMatchObject({ code: "not_found" });
      await expect(reader.inspect("other", handle)).rejects.toMatchObject({ code: "not_found" });
      await expect(candidates.change("other", handle, transition("erase"))).rejects.toMatchObject({
        code: "not_found",
      });
    }
    expect((await statuses()).status).toBe("promoted");
  });
});

describe("concurrent calls", () => {
  test("of create make one record and one event", async () => {
    const receipts = await Promise.all(Array.from({ length: 8 }, receive));

    expect(receipts.filter(({ kind }) => kind === "created")).toHaveLength(1);
    expect(new Set(receipts.map(({ response }) => response.receivedAt)).size).toBe(1);
    expect(await events()).toHaveLength(1);
  });

  test.each(PLATFORM_TRANSITIONS)("of %s do it once, with one event", async (name) => {
    await receive();
    await store.firedSinceLastAsked();

    const moves = await Promise.all(Array.from({ length: 8 }, () => move(name)));

    expect(moves.filter(({ kind }) => kind === "changed")).toHaveLength(1);
    expect(await events()).toHaveLength(1);
  });

  test("of an erasure request erase once, with one event, and the others find no candidate", async () => {
    await receive();
    await store.firedSinceLastAsked();

    const requests = await Promise.allSettled(
      Array.from({ length: 8 }, () => candidates.change(ORG, staged(), erasureRequest(externalId))),
    );

    const refused = requests.filter(({ status }) => status === "rejected");
    expect(refused).toEqual(
      Array(7).fill({ status: "rejected", reason: expect.objectContaining({ code: "not_found" }) }),
    );
    expect(await events()).toHaveLength(1);
  });

  test("of different transitions and amends leave a gapless sequence that ends in the stored state", async () => {
    await receive();

    await Promise.allSettled([
      ...PLATFORM_TRANSITIONS.filter((name) => name !== "erase").map(move),
      ...["a", "b", "c"].map((headline) => candidates.amend(ORG, staged(), { headline }, {})),
      candidates.change(ORG, staged(), workReadinessScore(7)),
      candidates.amend(ORG, staged(), { consentGiven: false }, {}),
      candidates.amend(ORG, staged(), { consentGiven: true }, {}),
    ]);

    const fired = await events();
    expect(fired.map(({ sequence }) => sequence)).toEqual(fired.map((_, index) => index + 1));
    expect((await reader.inspect(ORG, staged())).state.sequence).toBe(fired.length);
    expect(new Set(fired.map(({ id }) => id)).size).toBe(fired.length);
  });

  test("of an erasure and amends leave only a tombstone", async () => {
    await receive();

    await Promise.allSettled([
      candidates.amend(ORG, staged(), { headline: "a" }, {}),
      move("erase"),
      candidates.amend(ORG, staged(), { summary: "b", consentGiven: true }, {}),
      candidates.amend(ORG, staged(), { consentGiven: false }, {}),
    ]);

    expect((await statuses()).status).toBe("erased");
    expect(await rawItems()).not.toMatch(/headline|summary|Adelaide|consentGiven/);
  });
});

describe("a write that fires no event", () => {
  const result = {
    externalId: "result-1",
    provider: "proctor",
    name: "Reasoning",
    status: "completed",
    competencies: [],
  } as const satisfies Assessment;

  test.each([
    ["an amend", () => candidates.amend(ORG, staged(), { headline: "x" }, {})],
    ["consent given again", () => candidates.amend(ORG, staged(), { consentGiven: true }, {})],
    ["a score", () => candidates.change(ORG, staged(), workReadinessScore(12))],
    ["an assessment", () => candidates.change(ORG, staged(), assessment(result))],
  ])("removes the previous event, so that the stream does not publish it twice: %s", async (_what, write) => {
    await receive();
    const { updatedAt } = (await reader.inspect(ORG, staged())).state;

    await write();

    const { state } = await reader.inspect(ORG, staged());
    expect(state.updatedAt > updatedAt).toBe(true);
    expect(state.sequence).toBe(1);
    expect(await events()).toHaveLength(1);
    expect((await stored())[0]).not.toHaveProperty("event");
  });

  test("is not done at all if it changes nothing", async () => {
    await receive();
    const before = await stored();

    await candidates.amend(ORG, staged(), {}, {});
    await candidates.change(ORG, staged(), workReadinessScore(null));

    expect(await stored()).toEqual(before);
  });
});

describe("any sequence of lifecycle steps", () => {
  test("matches the model in statuses, handles, reads and events", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(aStep, fc.integer({ min: -60_000, max: 60_000 })), { maxLength: 16, size: "max" }),
        async (steps) => {
          serial += 1;
          externalId = `candidate-${serial}`;
          const model = new LifecycleModel("Analyst of engines");
          // Each process has a clock of its own.
          let skew = 0;
          const skewed = new CandidateRepository(
            store.client,
            store.tableName,
            runtimeAt(() => new Date(Date.now() + skew)),
          );
          let version = "";
          for (const [step, nextSkew] of steps) {
            skew = nextSkew;
            const result = model.apply(step);
            expect(await resultOf(step, skewed), JSON.stringify(step)).toBe(result);
            await expectReads(model);
            if (!model.statuses) continue;
            const state = await stateNow();
            expect(statusesOf(state)).toMatchObject(
              model.statuses.status === "erased" ? { status: "erased" } : model.statuses,
            );
            expect(state.workReadinessScore ?? null).toBe(
              model.statuses.status === "erased" ? null : model.score,
            );
            if (result !== "changed") expect(state.updatedAt).toBe(version);
            else if (step.do !== "create") expect(state.updatedAt > version).toBe(true);
            version = state.updatedAt;
          }
          const fired = await events();
          expect(
            fired.map(({ type, sequence, data }) => ({ type, sequence, id: data.id, status: data.status })),
          ).toEqual(
            model.events.map(({ type, sequence, promoted, statuses: { status } }) => ({
              type,
              sequence,
              id: promoted ? canonicalIdOf(staged().digest) : null,
              status,
            })),
          );
          expect(new Set(fired.map(({ id }) => id)).size).toBe(fired.length);
        },
      ),
      { numRuns: propertyRuns(30) },
    );
  });
});

async function resultOf(step: Step, repository: CandidateRepository): Promise<StepResult> {
  try {
    switch (step.do) {
      case "create": {
        const { kind } = await repository.receive(ACME, submission());
        return kind === "created" ? "changed" : "unchanged";
      }
      case "move":
      case "score": {
        const decision =
          step.do === "move"
            ? transition(
                step.transition,
                step.transition === "fail-validation"
                  ? [{ code: step.reason, message: "A reason." }]
                  : undefined,
              )
            : workReadinessScore(step.score);
        return (await repository.change(ORG, staged(), decision)).kind;
      }
      case "amend": {
        const { do: _, ...amendment } = step;
        await repository.amend(ORG, staged(), amendment, {});
        return Object.keys(amendment).length > 0 ? "changed" : "unchanged";
      }
    }
  } catch (error) {
    if (error instanceof ServiceError) return error.code as StepResult;
    throw error;
  }
}

/** Reads the candidate by every handle, and holds what comes against the model. */
async function expectReads(model: LifecycleModel): Promise<void> {
  const reads = [
    ["staged", reader.find(ORG, staged())],
    ["staged", reader.findByExternalId(ACME, externalId)],
    ["canonical", reader.find(ORG, canonical())],
  ] as const;
  await Promise.all(
    reads.map(async ([handle, read]) => {
      const expected = model.read(handle);
      await (expected === "found"
        ? expect(read).resolves.toMatchObject({
            digest: staged().digest,
            members: { externalId, headline: model.headline },
          })
        : expect(read).rejects.toMatchObject({ code: expected }));
    }),
  );
}

async function stored(): Promise<Record<string, unknown>[]> {
  const { Items = [] } = await store.client.send(
    new QueryCommand({
      TableName: store.tableName,
      KeyConditionExpression: "pk = :pk",
      ExpressionAttributeValues: { ":pk": `CANDIDATE#${ORG}#${staged().digest}` },
    }),
  );
  return Items;
}

async function rawItems(): Promise<string> {
  return JSON.stringify(await stored());
}

describe("a candidate whose stored", () => {
  const set = (attribute: string, value: unknown) =>
    store.client.send(
      new UpdateCommand({
        TableName: store.tableName,
        Key: candidateKey(ORG, staged().digest),
        UpdateExpression: "SET #attribute = :value",
        ExpressionAttributeNames: { "#attribute": attribute },
        ExpressionAttributeValues: { ":value": value },
      }),
    );

  test.each<[string, string, unknown, RegExp]>([
    ["item version is newer than this code", "itemVersion", ITEM_VERSION + 1, /version/],
    ["status is unknown to this code", "status", "archived", /status archived/],
  ])("%s is neither read nor overwritten", async (_what, attribute, value, refusal) => {
    await receive();
    await set(attribute, value);
    const before = await stored();

    await expect(reader.find(ORG, staged())).rejects.toThrow(refusal);
    await expect(reader.inspect(ORG, staged())).rejects.toThrow(refusal);
    for (const amendment of [{ headline: "x" }, { consentGiven: true }, { consentGiven: false }]) {
      await expect(candidates.amend(ORG, staged(), amendment, {})).rejects.toThrow(refusal);
    }
    await expect(move("verify")).rejects.toThrow(refusal);
    expect(await stored()).toEqual(before);
  });

  test.each([
    ["candidate", async () => {}],
    ["tombstone", () => move("erase")],
  ])("%s has a newer item version is not created again", async (_what, before) => {
    await receive();
    await before();
    await set("itemVersion", ITEM_VERSION + 1);
    const newer = await stored();

    await expect(receive()).rejects.toThrow(/version/);
    expect(await stored()).toEqual(newer);
  });
});
