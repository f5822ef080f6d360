import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";
import { describe, expect, test } from "vitest";
import { generateApiKey, hashOf, isSameHash, isWellFormedApiKey, keyIdOf } from "#api-keys/api-key";
import { EnvironmentName } from "#runtime/environment";

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

describe("an API key", () => {
  test.each([
    ["development", /^rr_dev_[0-9A-Za-z]{38}$/],
    ["production", /^rr_live_[0-9A-Za-z]{38}$/],
  ] as const)(
    "of %s is a prefix, 32 characters of base 62 and a checksum of 6 characters",
    (environment, form) => {
      const key = generateApiKey(environment);

      expect(key).toMatch(form);
      expect(isWellFormedApiKey(key, environment)).toBe(true);
    },
  );

  test("ends in the CRC-32 of the characters before it", () => {
    const key = generateApiKey("development");

    const check = [...key.slice(-6)].reduce((sum, digit) => sum * 62 + BASE62.indexOf(digit), 0);

    expect(check).toBe(crc32(key.slice(0, -6)));
  });

  test("is different each time it is generated, and uses every character of base 62", () => {
    const secrets = Array.from({ length: 2_000 }, () => generateApiKey("production").slice(8, -6));

    expect(new Set(secrets).size).toBe(2_000);
    expect(new Set(secrets.join("")).size).toBe(62);
  });

  test.each(EnvironmentName.options)("of %s is valid in no other environment", (environment) => {
    const key = generateApiKey(environment);

    expect(EnvironmentName.options.filter((each) => isWellFormedApiKey(key, each))).toEqual([environment]);
  });

  test("is not valid in another environment with that environment's prefix added", () => {
    const key = generateApiKey("development").replace("rr_dev_", "rr_live_");

    expect(isWellFormedApiKey(key, "production")).toBe(false);
  });
});

describe("a made-up API key", () => {
  test.each(["rr_xxx_", "RR_DEV_", "rr_live", "rr_dev_x", "\u0000\u0000\u0000\u0000\u0000\u0000\u0000"])(
    "with a matching checksum and the prefix %j is refused",
    (prefix) => {
      const body = prefix + "x".repeat(32);

      expect(isWellFormedApiKey(body + checksumOf(body), "development")).toBe(false);
      expect(isWellFormedApiKey(body + checksumOf(body), "production")).toBe(false);
    },
  );

  function checksumOf(body: string): string {
    let rest = crc32(body);
    return Array.from({ length: 6 }, () => {
      const digit = BASE62[rest % 62];
      rest = Math.floor(rest / 62);
      return digit;
    })
      .reverse()
      .join("");
  }
});

describe("a mistyped API key is refused", () => {
  const key = generateApiKey("development");
  const isKey = (typed: string) => isWellFormedApiKey(typed, "development");

  test("for any one wrong character at any place", () => {
    const typos = [...key].flatMap((right, place) =>
      [...BASE62, "_", "-", " ", "é", "\u0000"]
        .filter((wrong) => wrong !== right)
        .map((wrong) => key.slice(0, place) + wrong + key.slice(place + 1)),
    );

    expect(typos.filter(isKey)).toEqual([]);
  });

  test("for any two neighbouring characters swapped", () => {
    const swaps = Array.from(
      { length: key.length - 1 },
      (_, place) => key.slice(0, place) + key[place + 1] + key[place] + key.slice(place + 2),
    ).filter((swapped) => swapped !== key);

    expect(swaps.filter(isKey)).toEqual([]);
  });

  test("for a character left out or doubled", () => {
    const typos = Array.from({ length: key.length }, (_, place) => [
      key.slice(0, place) + key.slice(place + 1),
      key.slice(0, place) + key[place] + key.slice(place),
    ]).flat();

    expect(typos.filter(isKey)).toEqual([]);
  });

  test.each([
    "",
    "rr_dev_",
    `${key} `,
    ` ${key}`,
    `${key}\n`,
    `${key}${key}`,
    key.toUpperCase(),
    key.toLowerCase(),
    key.slice(7),
    "x".repeat(100_000),
  ])("as %j", (typed) => {
    expect(isKey(typed)).toBe(false);
  });
});

describe("the stored hash of an API key", () => {
  test("is its SHA-256, whose beginning is the key's id", () => {
    const key = generateApiKey("development");

    expect(Buffer.from(hashOf(key)).toString("hex")).toBe(createHash("sha256").update(key).digest("hex"));
    expect(keyIdOf(hashOf(key))).toMatch(/^key_[0-9a-hjkmnp-tv-z]{26}$/);
    expect(keyIdOf(hashOf(key))).toBe(keyIdOf(hashOf(key)));
    expect(keyIdOf(hashOf(key))).not.toBe(keyIdOf(hashOf(generateApiKey("development"))));
  });

  test("matches only the same key", () => {
    const hash = hashOf("a");

    expect(isSameHash(hash, hashOf("a"))).toBe(true);
    expect(isSameHash(hash, hashOf("b"))).toBe(false);
    expect(isSameHash(hash, hash.subarray(1))).toBe(false);
  });
});
