import * as z from "zod/mini";
import { OrgId } from "#contract/organisation";
import { boolean, dateTime, expecting, object, text } from "#contract/values";

/** What the private function `issue-api-key` is invoked with. */
export const IssueApiKey = object({
  orgId: OrgId,
  /**
   * Whether this is the organisation's first key. It must be said, so that a mistyped id neither makes a new
   * organisation nor opens another one's data.
   */
  newOrganisation: z.optional(boolean()),
  /** What the key is for, in the operator's words. */
  name: text(1, 120),
  /** When the key stops working, a moment in the future; never, when absent. */
  expiresAt: z.optional(
    dateTime().check(
      // A leap second is a date-time, but no moment that JavaScript knows.
      z.refine((value) => !value.includes(":60"), {
        error: "a date-time without a leap second is expected",
      }),
    ),
  ),
});
export type IssueApiKey = z.infer<typeof IssueApiKey>;

/** What the private function `list-api-keys` is invoked with. */
export const ListApiKeys = object({ orgId: OrgId });

/** What the private function `revoke-api-key` is invoked with. */
export const RevokeApiKey = object({
  keyId: z
    .string({ error: expecting("a key id") })
    .check(z.regex(/^key_[0-9a-hjkmnp-tv-z]{26}$/, { error: expecting("a key id, as keys list shows it,") })),
});

/** A key as the platform lists it: neither the key itself, which is shown once, nor its organisation's handle key. */
export const ApiKey = z.object({
  keyId: z.string(),
  orgId: z.string(),
  name: z.string(),
  createdAt: z.string(),
  expiresAt: z.optional(z.string()),
  revokedAt: z.optional(z.string()),
  /** True to the hour: a use is noted when the one noted before is an hour old. Absent before the first. */
  lastUsedAt: z.optional(z.string()),
});
export type ApiKey = z.infer<typeof ApiKey>;

/** What `issue-api-key` returns: the one time that the key is shown. */
export const IssuedApiKey = z.extend(ApiKey, { apiKey: z.string() });
export type IssuedApiKey = z.infer<typeof IssuedApiKey>;
