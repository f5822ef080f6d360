import { createHash, randomInt, timingSafeEqual } from "node:crypto";
import { crc32 } from "node:zlib";
import { base32 } from "#contract/identifiers";
import type { EnvironmentName } from "#runtime/environment";

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/** 32 characters of base 62 hold about 190 bits. */
const SECRET_LENGTH = 32;
/** 62^6 is the first power of 62 above 2^32: a CRC-32 fits. */
const CHECKSUM_LENGTH = 6;
const KEY_ID_BYTES = 16;

const PREFIX = { development: "rr_dev_", production: "rr_live_" } as const satisfies Record<
  EnvironmentName,
  string
>;

/** A new API key of the environment: its prefix, 32 random characters and their checksum. */
export function generateApiKey(environment: EnvironmentName): string {
  const secret = Array.from({ length: SECRET_LENGTH }, () => BASE62[randomInt(BASE62.length)]).join("");
  const body = PREFIX[environment] + secret;
  return body + checksumOf(body);
}

/**
 * Whether a key belongs to this environment and has a valid checksum. Detects mistyped keys, and those of another
 * environment, without a lookup. It does not check whether the key was ever issued.
 */
export function isWellFormedApiKey(key: string, environment: EnvironmentName): boolean {
  const prefix = PREFIX[environment];
  if (!key.startsWith(prefix) || key.length !== prefix.length + SECRET_LENGTH + CHECKSUM_LENGTH) return false;
  const body = key.slice(0, -CHECKSUM_LENGTH);
  return checksumOf(body) === key.slice(-CHECKSUM_LENGTH);
}

/** The stored form of a key: its SHA-256. */
export function hashOf(key: string): Uint8Array {
  return createHash("sha256").update(key, "utf8").digest();
}

/** The public id of a key, derived from its hash, so that finding a key needs no index. */
export function keyIdOf(hash: Uint8Array): string {
  return `key_${base32(hash.subarray(0, KEY_ID_BYTES))}`;
}

/** Compares two hashes in constant time. */
export function isSameHash(left: Uint8Array, right: Uint8Array): boolean {
  return left.length === right.length && timingSafeEqual(left, right);
}

function checksumOf(body: string): string {
  let remainder = crc32(body);
  let checksum = "";
  while (checksum.length < CHECKSUM_LENGTH) {
    checksum = BASE62[remainder % BASE62.length] + checksum;
    remainder = Math.floor(remainder / BASE62.length);
  }
  return checksum;
}
