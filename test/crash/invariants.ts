import type { AmendmentBody } from "../builders/submission.ts";
import type { Received } from "../end-to-end/messages.ts";

/** What a read returned. */
export interface ReadResult {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** What the service has promised about one candidate, in the responses that its callers got. */
export interface Promised {
  readonly externalId: string;
  /** The `stagedId` of each acknowledged create, repeats included. */
  readonly stagedIds: string[];
  /** The members that acknowledged amends have set, each with the last value. */
  readonly members: AmendmentBody;
  /** The events that acknowledged calls have fired, in their order. */
  readonly events: string[];
  /** Whether the last of them withdrew consent. */
  frozen: boolean;
}

/** One run: what callers were promised, and what is there when all is quiet again. */
export interface History {
  readonly candidates: readonly Promised[];
  /** The texts that stand in refused calls alone, the `externalId` of refused creates among them. */
  readonly refused: readonly string[];
  readonly byHandle: ReadonlyMap<string, ReadResult>;
  readonly byExternalId: ReadonlyMap<string, ReadResult>;
  readonly deliveries: readonly Received[];
  /** The API key of each start of the service, and whether the first still opens the last. */
  readonly keys: readonly string[];
  readonly firstKeyOpens: boolean;
}

/** A rule that holds whatever happens to the engines; it returns each case in which it does not. */
export interface Invariant {
  readonly sentence: string;
  readonly violations: (history: History) => string[];
}

export const invariants: readonly Invariant[] = [
  {
    sentence: "Every acknowledged create is readable by its handle and by its externalId.",
    violations: unreadableCreates,
  },
  {
    sentence: "The stagedId of an externalId never changes.",
    violations: changedHandles,
  },
  {
    sentence: "candidate.received exists exactly once for each candidate, and is delivered.",
    violations: receivedNotOnce,
  },
  {
    sentence:
      "Each event of a candidate is delivered, in a sequence without gaps from 1, and no other one is.",
    violations: gapsInSequences,
  },
  {
    sentence: "The same event id has the same bytes in every delivery.",
    violations: changedBytes,
  },
  {
    sentence: "Nothing of a refused call is read or delivered.",
    violations: tracesOfRefusedCalls,
  },
  {
    sentence:
      "What the last acknowledged amend of a member has set is read: amends of other members that raced it and an earlier one that arrives late change nothing of it.",
    violations: lostAmends,
  },
  {
    sentence: "API keys survive.",
    violations: lostKeys,
  },
];

function unreadableCreates({ candidates, byHandle, byExternalId }: History): string[] {
  return candidates.flatMap(({ externalId, stagedIds: [stagedId = ""], frozen }) =>
    [byHandle.get(stagedId), byExternalId.get(externalId)]
      .filter((reading) =>
        frozen
          ? reading?.body["error"] !== "consent_revoked"
          : reading?.body["externalId"] !== externalId || reading.body["id"] !== stagedId,
      )
      .map((reading) => `${externalId}: ${reading?.status} ${JSON.stringify(reading?.body)}`),
  );
}

function changedHandles({ candidates }: History): string[] {
  return candidates
    .filter(({ stagedIds }) => new Set(stagedIds).size !== 1)
    .map(({ externalId, stagedIds }) => `${externalId}: ${stagedIds.join(", ")}`);
}

function receivedNotOnce({ candidates, deliveries }: History): string[] {
  const ids = new Map<unknown, Set<string>>();
  for (const { event } of deliveries.filter(({ event }) => event.type === "candidate.received")) {
    const { stagedId } = event.data;
    ids.set(stagedId, (ids.get(stagedId) ?? new Set()).add(event.id));
  }
  return candidates
    .map(({ externalId, stagedIds: [stagedId] }) => ({ externalId, events: ids.get(stagedId)?.size ?? 0 }))
    .filter(({ events }) => events !== 1)
    .map(({ externalId, events }) => `${externalId}: ${events} events`);
}

function gapsInSequences({ candidates, deliveries }: History): string[] {
  const delivered = Map.groupBy(deliveries, ({ event }) => event.data["stagedId"]);
  return candidates.flatMap(({ externalId, stagedIds: [stagedId], events }) => {
    const expected = events.map((type, index) => `${index + 1} ${type}`);
    const seen = new Set(delivered.get(stagedId)?.map(({ event }) => `${event.sequence} ${event.type}`));
    const same = seen.size === expected.length && expected.every((each) => seen.has(each));
    return same ? [] : [`${externalId}: ${[...seen].sort().join(", ")} in place of ${expected.join(", ")}`];
  });
}

function changedBytes({ deliveries }: History): string[] {
  return [...Map.groupBy(deliveries, ({ event }) => event.id)]
    .map(([id, copies]) => ({ id, bodies: new Set(copies.map(({ body }) => body)) }))
    .filter(({ bodies }) => bodies.size > 1)
    .map(({ id, bodies }) => `${id}: ${[...bodies].join(" and ")}`);
}

function tracesOfRefusedCalls({ refused, byHandle, byExternalId, deliveries }: History): string[] {
  const records = [...byHandle.values(), ...byExternalId.values()].filter(({ status }) => status === 200);
  const seen = [...records.map(({ body }) => JSON.stringify(body)), ...deliveries.map(({ body }) => body)];
  const everything = seen.join("\n");
  return refused.filter((text) => everything.includes(text));
}

function lostAmends({ candidates, byHandle }: History): string[] {
  return candidates
    .filter(({ frozen }) => !frozen)
    .flatMap(({ stagedIds: [stagedId = ""], members }) =>
      Object.entries(members)
        .filter(([name, value]) => byHandle.get(stagedId)?.body[name] !== value)
        .map(([name, value]) => `${stagedId}: ${name} is not ${value}`),
    );
}

function lostKeys({ keys, firstKeyOpens }: History): string[] {
  const changed = keys.filter((key) => key !== keys[0]).map((key) => `${keys[0]} has become ${key}`);
  return firstKeyOpens ? changed : [...changed, `${keys[0]} opens nothing any more`];
}
