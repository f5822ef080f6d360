import { createHmac } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { canonicalIdOf, digestOf, handleOf, parseHandle, stagedIdOf } from "#candidates/handles";
import { NotFound } from "#contract/errors";
import { generateHandleKey, Organisation } from "#contract/organisation";
import { anyText } from "../builders/any-text.ts";
import { ACME } from "../builders/organisation.ts";

const DIGEST = /^[0-9a-hjkmnp-tv-z]{26}$/;
const anExternalId = anyText({ minLength: 1, maxLength: 128 });
const anOrgId = fc.stringMatching(/^[a-z0-9][a-z0-9_-]{0,20}$/);

/** Key and organisation are drawn apart: the digest depends on the key alone. */
const anOrganisation = fc
  .record({ orgId: anOrgId, handleKey: fc.uint8Array({ minLength: 32, maxLength: 32 }) })
  .map(({ orgId, handleKey }) => {
    const encoded = Buffer.from(handleKey).toString("base64url");
    return { handleKey, organisation: Organisation.parse({ orgId, handleKey: encoded }) };
  });

/** Another organisation's, or the same one's in another environment. */
const OTHER_KEY = Organisation.parse({ orgId: ACME.orgId, handleKey: generateHandleKey() });

describe("the digest of a handle", () => {
  test("is 128 bits of HMAC-SHA-256 of the externalId under the handle key, in Crockford base 32", () => {
    fc.assert(
      fc.property(anOrganisation, anExternalId, ({ handleKey, organisation }, externalId) => {
        const hash = createHmac("sha256", handleKey).update(externalId).digest("hex");
        const bits = BigInt(`0x${hash.slice(0, 32)}`)
          .toString(2)
          .padStart(128, "0")
          .padEnd(130, "0");
        const characters = bits
          .match(/.{5}/g)
          ?.map((five) => "0123456789abcdefghjkmnpqrstvwxyz"[parseInt(five, 2)]);

        expect(digestOf(organisation, externalId)).toBe(characters?.join(""));
        expect(digestOf(organisation, externalId)).toMatch(DIGEST);
      }),
    );
  });

  test("never changes for a candidate, so that the handles partners have stored stay valid", () => {
    expect(stagedIdOf(digestOf(ACME, "candidate-1"))).toMatchInlineSnapshot(
      `"staged_7bc8pfq183zw2s68b3pw4hkayr"`,
    );
  });

  test("differs under the handle key of another organisation or environment", () => {
    expect(digestOf(OTHER_KEY, "1")).not.toBe(digestOf(ACME, "1"));
  });

  test.each([
    ["another case", "a", "A"],
    ["another normal form", "\u00e9", "e\u0301"],
    ["a space at the end", "a", "a "],
    ["signs that keys are put together with", "a#b", "a/b"],
  ] as const)("differs for %s", (_what, externalId, otherExternalId) => {
    expect(digestOf(ACME, externalId)).not.toBe(digestOf(ACME, otherExternalId));
  });
});

describe("a handle", () => {
  test("is parsed back from its text", () => {
    fc.assert(
      fc.property(anExternalId, (externalId) => {
        const digest = digestOf(ACME, externalId);

        expect(parseHandle(stagedIdOf(digest))).toEqual({ kind: "staged", digest });
        expect(parseHandle(canonicalIdOf(digest))).toEqual({ kind: "canonical", digest });
      }),
    );
  });

  test("is valid for any externalId of an organisation", () => {
    expect(handleOf(ACME, "1")).toEqual({ kind: "staged", digest: digestOf(ACME, "1") });
  });

  const staged = stagedIdOf(digestOf(ACME, "1"));
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
  ])("in the wrong form %j is not found, like an unknown one", (id) => {
    expect(() => parseHandle(id)).toThrow(
      new NotFound("No candidate of your organisation has this handle or externalId. Check it."),
    );
  });
});
