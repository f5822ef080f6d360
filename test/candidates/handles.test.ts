import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { canonicalIdOf, digestOf, parseHandle, stagedIdOf } from "#candidates/handles";
import { NotFound } from "#contract/errors";

const DIGEST = /^[0-9a-hjkmnp-tv-z]{26}$/;
const anExternalId = fc.string({ unit: "binary", minLength: 1, maxLength: 128 });
const anOrgId = fc.stringMatching(/^[a-z0-9][a-z0-9_-]{0,20}$/);

describe("a digest", () => {
  test("is the first 128 bits of SHA-256 over organisation and externalId in Crockford's base 32", () => {
    fc.assert(
      fc.property(anOrgId, anExternalId, (orgId, externalId) => {
        const hash = createHash("sha256").update(`${orgId}\n${externalId}`).digest("hex");
        const bits = BigInt(`0x${hash.slice(0, 32)}`)
          .toString(2)
          .padStart(128, "0")
          .padEnd(130, "0");
        const characters = bits
          .match(/.{5}/g)
          ?.map((five) => "0123456789abcdefghjkmnpqrstvwxyz"[parseInt(five, 2)]);

        expect(digestOf(orgId, externalId)).toBe(characters?.join(""));
        expect(digestOf(orgId, externalId)).toMatch(DIGEST);
      }),
    );
  });

  test("never changes for a candidate: handles that partners hold depend on it", () => {
    expect(stagedIdOf(digestOf("acme", "candidate-1"))).toMatchInlineSnapshot(
      `"staged_bnhtvnp3jc88gtf387ckfabwhg"`,
    );
  });

  test.each([
    ["another organisation", ["acme", "1"], ["acme2", "1"]],
    ["a character that moves between the two", ["acme", "21"], ["acme2", "1"]],
    ["another case", ["acme", "a"], ["acme", "A"]],
    ["another normal form", ["acme", "\u00e9"], ["acme", "e\u0301"]],
    ["a space at the end", ["acme", "a"], ["acme", "a "]],
    ["signs that keys are put together with", ["acme", "a#b"], ["acme", "a/b"]],
  ] as const)("differs for %s", (_what, [orgId, externalId], [otherOrgId, otherExternalId]) => {
    expect(digestOf(orgId, externalId)).not.toBe(digestOf(otherOrgId, otherExternalId));
  });
});

describe("a handle", () => {
  test("is read back from the text it is spelt as", () => {
    fc.assert(
      fc.property(anExternalId, (externalId) => {
        const digest = digestOf("acme", externalId);

        expect(parseHandle(stagedIdOf(digest))).toEqual({ kind: "staged", digest });
        expect(parseHandle(canonicalIdOf(digest))).toEqual({ kind: "canonical", digest });
      }),
    );
  });

  const staged = stagedIdOf(digestOf("acme", "1"));
  test.each([
    "",
    "staged_",
    "cand_",
    staged.slice("staged_".length),
    staged.slice(0, -1),
    `${staged}0`,
    ` ${staged}`,
    `${staged}\n`,
    staged.toUpperCase(),
    staged.replace("staged_", "STAGED_"),
    staged.replace("staged_", "staged-"),
    staged.replace("staged_", "whe_"),
    staged.replace(/.$/, "u"),
    staged.replace(/.$/, "i"),
    staged.replace(/.$/, "é"),
    `${staged}#RECORD`,
    "__proto__",
    "1",
  ])("%j is none, like one that never existed", (id) => {
    expect(() => parseHandle(id)).toThrow(NotFound);
  });
});
