import { createSecretKey, randomBytes } from "node:crypto";
import * as z from "zod/mini";
import { pattern } from "#contract/values";

const HANDLE_KEY_BYTES = 32;

/** An organisation's id. It is part of keys and contains none of their separators. */
export const OrgId = pattern(
  /^[a-z0-9][a-z0-9_-]{0,63}$/,
  "an organisation id of 1 to 64 lower-case letters, digits, - and _",
);

/** A handle key as stored in the table and passed in the authorizer's context: 32 bytes in base64url. */
export const EncodedHandleKey = z.string().check(z.regex(/^[A-Za-z0-9_-]{43}$/));

/** A random handle key, in base64url. */
export function generateHandleKey(): string {
  return randomBytes(HANDLE_KEY_BYTES).toString("base64url");
}

/**
 * An organisation, with the key from which its candidates' handles are derived. The key is a KeyObject, which does
 * not reveal its bytes when printed or serialised.
 */
export const Organisation = z.object({
  orgId: OrgId,
  handleKey: z.pipe(
    EncodedHandleKey,
    z.transform((encoded: string) => createSecretKey(encoded, "base64url")),
  ),
});
export type Organisation = z.infer<typeof Organisation>;
