import { expect, test } from "vitest";
import { type Life, maySend } from "#candidates/candidate-lives";
import { EVENT_TYPES } from "#contract/events";

const others = EVENT_TYPES.filter((type) => type !== "candidate.erased");

const first: Life = { isErased: false, firstSequence: 1, externalId: "ext-1" };
const second: Life = { isErased: false, firstSequence: 4, externalId: "ext-1" };
const erasedFirst: Life = { isErased: true, firstSequence: 1 };
const erasedSecond: Life = { isErased: true, firstSequence: 4 };

test.each<[string, Life | undefined, number, { readonly erased: boolean; readonly others: boolean }]>([
  ["of the first life", first, 1, { erased: true, others: true }],
  ["of the first life, later", first, 9, { erased: true, others: true }],
  ["before a second life", second, 3, { erased: false, others: false }],
  ["that begins a second life", second, 4, { erased: true, others: true }],
  ["of an erased life", erasedFirst, 3, { erased: true, others: false }],
  ["of the life before an erased one", erasedSecond, 3, { erased: false, others: false }],
  ["of an erased second life", erasedSecond, 5, { erased: true, others: false }],
  ["of a candidate of which nothing is left", undefined, 3, { erased: true, others: false }],
])("an event %s", (_what, life, sequence, sent) => {
  expect(maySend({ type: "candidate.erased", sequence }, life)).toBe(sent.erased);
  for (const type of others) {
    expect(maySend({ type, sequence }, life), type).toBe(sent.others);
  }
});
