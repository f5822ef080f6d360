import { expect, test } from "vitest";
import { type History, invariants } from "../crash/invariants.ts";
import type { Received } from "../end-to-end/messages.ts";

test("A correct run violates no invariant of the fault tests", () => {
  expect(violatedBy(aHistory())).toEqual([]);
});

test.each<readonly [string, Partial<History>, RegExp]>([
  ["a create that no handle reads", { byHandle: new Map() }, /readable by its handle/],
  ["a create that is not found", { byExternalId: new Map() }, /readable by its handle/],
  ["a second stagedId", withCandidate({ stagedIds: ["staged_1", "staged_2"] }), /never changes/],
  ["a received candidate without an event", { deliveries: [] }, /exactly once/],
  [
    "a second event of the same create",
    { deliveries: [anEvent(), anEvent({ id: "evt_2" })] },
    /exactly once/,
  ],
  ["a gap in a sequence", { deliveries: [anEvent({ sequence: 2 })] }, /without gaps/],
  [
    "an event that nobody has fired",
    { deliveries: [anEvent(), anEvent({ id: "evt_2", type: "candidate.erased", sequence: 2 })] },
    /without gaps/,
  ],
  ["an acknowledged withdrawal without its event", withCandidate({ events: ["a", "b"] }), /without gaps/],
  [
    "other bytes of the same event",
    { deliveries: [anEvent(), { ...anEvent(), body: "{}" }] },
    /the same bytes/i,
  ],
  ["a refused value that is read", { refused: ["Analyst"] }, /refused call/],
  ["a refused value that is delivered", { refused: ["evt_1"] }, /refused call/],
  ["an amend that was lost", withCandidate({ members: { summary: "Wrote it." } }), /acknowledged amend/],
  ["a key of another start", { keys: ["rr_dev_1", "rr_dev_2"] }, /keys survive/],
  ["a key that is refused", { firstKeyOpens: false }, /keys survive/],
])("The invariants of the fault tests detect %s", (_, difference, sentence) => {
  expect(violatedBy({ ...aHistory(), ...difference })).toContainEqual(expect.stringMatching(sentence));
});

function violatedBy(history: History): string[] {
  return invariants
    .filter(({ violations }) => violations(history).length > 0)
    .map(({ sentence }) => sentence);
}

function aHistory(): History {
  const reading = { status: 200, body: { id: "staged_1", externalId: "ext-1", headline: "Analyst" } };
  return {
    ...withCandidate({}),
    refused: ["refused-ext-1"],
    byHandle: new Map([["staged_1", reading]]),
    byExternalId: new Map([["ext-1", reading]]),
    deliveries: [anEvent(), anEvent()],
    keys: ["rr_dev_1", "rr_dev_1"],
    firstKeyOpens: true,
  };
}

function withCandidate(difference: Partial<History["candidates"][number]>): Pick<History, "candidates"> {
  const candidate = {
    externalId: "ext-1",
    stagedIds: ["staged_1", "staged_1"],
    members: { headline: "Analyst" },
    events: ["candidate.received"],
    frozen: false,
  };
  return { candidates: [{ ...candidate, ...difference }] };
}

function anEvent(difference: object = {}): Received {
  const data = { stagedId: "staged_1" };
  const event = { id: "evt_1", type: "candidate.received", sequence: 1, data, ...difference };
  return { headers: {}, body: JSON.stringify(event), event, at: 0 };
}
