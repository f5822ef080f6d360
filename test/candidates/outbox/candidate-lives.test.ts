import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient, GetCommand } from "@aws-sdk/lib-dynamodb";
import { mockClient } from "aws-sdk-client-mock";
import { describe, expect, test } from "vitest";
import { stagedIdOf } from "#candidates/handles";
import { CandidateLives, type Life, maySend } from "#candidates/outbox/candidate-lives";
import { packAttributes } from "#candidates/store/item/candidate-item";
import { ITEM_VERSION } from "#candidates/store/item/item-version";
import { CANDIDATE_EVENT_TYPES } from "#contract/events";
import { runtime } from "#runtime/runtime";
import { A_DIGEST } from "../../builders/candidate.ts";

const others = CANDIDATE_EVENT_TYPES.filter((type) => type !== "candidate.erased");

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
])(
  "whether an event may be sent depends on the candidate's life: an event %s",
  (_what, life, sequence, sent) => {
    expect(maySend({ type: "candidate.erased", sequence }, life)).toBe(sent.erased);
    for (const type of others) {
      expect(maySend({ type, sequence }, life), type).toBe(sent.others);
    }
  },
);

describe("the life of a candidate", () => {
  const stored = { itemVersion: ITEM_VERSION, status: "received", firstSequence: 4, externalId: "ext-1" };
  const client = DynamoDBDocumentClient.from(new DynamoDBClient());
  const table = mockClient(client);
  const find = (item?: object) => {
    table.reset();
    table.on(GetCommand).resolves({ Item: item });
    const lives = new CandidateLives(client, "candidates", runtime);
    return lives.find("acme", stagedIdOf(A_DIGEST));
  };

  test("is read with strong consistency, so that a completed erasure is seen", async () => {
    expect(await find(stored)).toEqual(second);
    expect(table.commandCalls(GetCommand)[0]?.args[0].input).toMatchObject({ ConsistentRead: true });
  });

  const rejections = [
    { sequence: 4, occurredAt: "2026-06-01T12:00:00.000Z", reasons: [{ code: "a", message: "b" }] },
  ];
  const inItem = packAttributes({ rejections }).attributes;
  const inParts = { hash: "0".repeat(64), writeId: "write-1", parts: 1, responseBytes: 100 };

  test("has the last rejections with their reasons", async () => {
    expect(await find({ ...stored, ...inItem })).toEqual({ ...second, rejections });
  });

  test("is read again if its rejections were replaced since its item was read", async () => {
    table.reset();
    table
      .on(GetCommand)
      .resolvesOnce({ Item: { ...stored, rejections: inParts } })
      .resolvesOnce({})
      .resolves({ Item: { ...stored, ...inItem } });
    const lives = new CandidateLives(client, "candidates", runtime);

    expect(await lives.find("acme", stagedIdOf(A_DIGEST))).toEqual({ ...second, rejections });
  });

  test("is undefined if nothing of the candidate is stored", async () => {
    expect(await find()).toBeUndefined();
  });

  test("is not read from an item version newer than this code", async () => {
    await expect(find({ ...stored, itemVersion: ITEM_VERSION + 1 })).rejects.toThrow(/version/);
  });
});
