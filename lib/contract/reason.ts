import * as z from "zod/mini";
import { expecting, list, pattern, text } from "#contract/values";

/**
 * The reason for a rejection: a code for programs and a message for people. The platform must not put personal data
 * into either, but nothing checks this, so both are handled like personal data.
 */
export const Reason = z.strictObject(
  {
    code: pattern(/^[a-z0-9_]{1,64}$/, "a code of 1 to 64 characters of a-z, 0-9 and _"),
    message: text(1, 500),
  },
  {
    error: expecting(
      "an object with a code (1 to 64 characters of a-z, 0-9 and _) and a message (a string of 1 to 500 characters)",
    ),
  },
);
export type Reason = z.infer<typeof Reason>;

/**
 * A reason in an event. Unlike those that the platform gives, it may have members that this version does not know and
 * leaves out: events may gain members, and a later version may have stored the rejection.
 */
export const EventReason = z.object(Reason.shape);

/** The reasons for a rejection: 1 to 50. */
export const Reasons = /* @__PURE__ */ list(Reason, 50, 1);
