import * as z from "zod/mini";
import { idPattern } from "#contract/identifiers";
import { OrgId } from "#contract/organisation";
import { boolean, dateTime, expecting, object, text } from "#contract/values";

/** The payload of the private function `issue-api-key`. */
export const IssueApiKey = object({
  orgId: OrgId,
  /**
   * Whether this is the organisation's first key. It must be stated explicitly, so that a mistyped id neither creates
   * an organisation nor grants access to another one's data.
   */
  newOrganisation: z.optional(boolean()),
  /** What the key is for, as described by the operator. */
  name: text(1, 120),
  /** When the key stops working, which must be in the future. If absent, the key does not expire. */
  expiresAt: z.optional(
    dateTime().check(
      // JavaScript cannot represent a leap second.
      z.refine((value) => !value.includes(":60"), {
        error: "a date-time without a leap second is expected",
      }),
    ),
  ),
});
export type IssueApiKey = z.infer<typeof IssueApiKey>;

/** The payload of the private function `list-api-keys`. */
export const ListApiKeys = object({ orgId: OrgId });

/** The payload of the private function `revoke-api-key`. */
export const RevokeApiKey = object({
  keyId: z
    .string({ error: expecting("a key id") })
    .check(z.regex(idPattern("key"), { error: expecting("a key id, as shown by keys list,") })),
});

/** A key as listed to the platform, without the key itself, which is shown once, and without the handle key. */
export const ApiKey = z.object({
  keyId: z.string(),
  orgId: z.string(),
  name: z.string(),
  createdAt: z.string(),
  expiresAt: z.optional(z.string()),
  revokedAt: z.optional(z.string()),
  /** Accurate to the hour: a use is recorded if the previous record is an hour old. Absent before the first use. */
  lastUsedAt: z.optional(z.string()),
});
export type ApiKey = z.infer<typeof ApiKey>;

/** What `issue-api-key` returns. The key itself is shown only here. */
export const IssuedApiKey = z.extend(ApiKey, { apiKey: z.string() });
export type IssuedApiKey = z.infer<typeof IssuedApiKey>;
