import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { marshall } from "@aws-sdk/util-dynamodb";
import { describe, expect, test } from "vitest";
import { ownWrite } from "#runtime/own-write";

const UPDATE = { set: { status: "sent", event: { id: "1" } }, remove: ["waits", "reason"] };
const WRITTEN = { pk: "a", status: "sent", event: { id: "1" } };

/** The refusal of a write by this item, in one of several attempts. */
function refusal(attempts: number | undefined, item: object | undefined) {
  return new ConditionalCheckFailedException({
    message: "The conditional request failed",
    $metadata: attempts === undefined ? {} : { attempts },
    ...(item && { Item: marshall(item) }),
  });
}

describe("a refused write", () => {
  test("was done by an earlier attempt if the item has what it writes", () => {
    expect(ownWrite(refusal(2, WRITTEN), UPDATE)).toEqual(WRITTEN);
  });

  test.each([
    ["it was attempted once", 1, WRITTEN],
    ["its attempts are unknown", undefined, WRITTEN],
    ["there is no item", 2, undefined],
    ["the item has another value", 2, { ...WRITTEN, event: { id: "2" } }],
    ["the item has what the write removes", 2, { ...WRITTEN, waits: true }],
    ["the item has some of what the write removes", 2, { ...WRITTEN, reason: "busy" }],
  ])("was not done if %s", (_what, attempts, item) => {
    expect(ownWrite(refusal(attempts, item), UPDATE)).toBeUndefined();
  });

  test("cannot be recognised if it counts", () => {
    const counting = { ...UPDATE, assign: { count: "#count + :one" } };

    expect(ownWrite(refusal(2, WRITTEN), counting)).toBeUndefined();
  });
});
