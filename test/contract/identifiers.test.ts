import { randomBytes } from "node:crypto";
import { base32crockford } from "@scure/base";
import { describe, expect, test } from "vitest";
import {
  isEndpointId,
  isEventId,
  isRecoveryId,
  newEndpointId,
  newEventId,
  newRecoveryId,
} from "#contract/identifiers";
import { runtime } from "#runtime/runtime";

describe.each([
  ["an event's id", "evt", newEventId, isEventId],
  ["a webhook endpoint's id", "whe", newEndpointId, isEndpointId],
  ["a recovery's id", "rec", newRecoveryId, isRecoveryId],
] as const)("%s", (_what, prefix, newId, isId) => {
  const zeros = "0".repeat(26);

  test("is a prefix and a UUIDv7 in 26 characters of Crockford base 32", () => {
    const now = () => new Date("2026-01-01T00:00:00.000Z");

    const id = newId({ now, randomBytes });

    expect(id).toMatch(new RegExp(`^${prefix}_[0-9a-hjkmnp-tv-z]{26}$`));
    const bytes = Buffer.from(base32crockford.decode(id.slice(-26).toUpperCase())).toString("hex");
    expect(bytes).toMatch(new RegExp(`^0${now().getTime().toString(16)}7[0-9a-f]{3}[89ab][0-9a-f]{15}$`));
  });

  test("is unique", () => {
    const ids = [newId(runtime), newId(runtime)];

    expect(new Set(ids).size).toBe(2);
    for (const id of ids) expect(isId(id)).toBe(true);
  });

  test.each(["2026-01-01T00:00:00.001Z", "2026-01-02T00:00:00.000Z", "2125-01-01T00:00:00.000Z"])(
    "sorts by time: one of %s comes after an earlier one",
    (later) => {
      const at = (moment: string) =>
        newId({ now: () => new Date(moment), randomBytes: (size) => Buffer.alloc(size) });

      expect(at("2026-01-01T00:00:00.000Z") < at(later)).toBe(true);
    },
  );

  test.each([
    "",
    prefix,
    `${prefix}_`,
    zeros,
    `${prefix}_${zeros}0`,
    `${prefix}_${zeros.slice(1)}`,
    `x${prefix}_${zeros}`,
    `${prefix}_${zeros}\n`,
    `${prefix}-${zeros}`,
    `${prefix}_${zeros.slice(1)}u`,
    `${prefix}_${zeros.slice(1)}A`,
    `cand_${zeros}`,
  ])("does not have the form %j", (id) => {
    expect(isId(id)).toBe(false);
  });
});
