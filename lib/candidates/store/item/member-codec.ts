import { constants, zstdCompressSync, zstdDecompressSync } from "node:zlib";

/**
 * Members shorter than this do not benefit from compression (measured: docs/decisions/0004): a text in UTF-16 code
 * units, any other member in bytes of its JSON.
 */
const WORTH_COMPRESSING = 128;
// RFC 8878 section 3.1.1. JSON never starts with this byte, so the two forms cannot be confused.
const ZSTD_FIRST_BYTE = 0x28;

/** The stored form of one member: short texts and booleans as they are, everything else as bytes. */
export type StoredMember = string | boolean | Uint8Array;

/** Whether a member's value is stored: absent, null and the empty list all read back the same. */
export function isStored(value: unknown): boolean {
  return value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0);
}

/**
 * A member in its stored form, and the size of its JSON in bytes. The bytes are JSON, compressed with zstd if that
 * is shorter: DynamoDB bills by the kilobyte. JSON is used because DynamoDB's numbers cannot represent every JSON
 * number.
 */
export function packMember(value: unknown): { readonly stored: StoredMember; readonly jsonBytes: number } {
  const json = Buffer.from(JSON.stringify(value));
  return { stored: storedForm(value, json), jsonBytes: json.length };
}

function storedForm(value: unknown, json: Buffer): StoredMember {
  if (typeof value === "boolean") return value;
  if (typeof value === "string" && value.length < WORTH_COMPRESSING) return value;
  if (json.length < WORTH_COMPRESSING) return json;
  const compressed = zstdCompressSync(json, { params: { [constants.ZSTD_c_compressionLevel]: 3 } });
  return compressed.length < json.length ? compressed : json;
}

/** The member stored by {@link packMember}. */
export function unpackMember(stored: unknown): unknown {
  return stored instanceof Uint8Array ? JSON.parse(jsonIn(stored)) : stored;
}

/** The JSON of a member stored by {@link packMember}. */
export function jsonOf(stored: StoredMember): string {
  return stored instanceof Uint8Array ? jsonIn(stored) : JSON.stringify(stored);
}

function jsonIn(bytes: Uint8Array): string {
  const json = bytes[0] === ZSTD_FIRST_BYTE ? zstdDecompressSync(bytes) : Buffer.from(bytes);
  return json.toString("utf8");
}
