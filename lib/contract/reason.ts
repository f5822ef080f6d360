import * as z from "zod/mini";
import { expecting, list } from "#contract/values";

/** The reason for a rejection: a code for programs and a message for people, both without personal data. */
export const Reason = z.strictObject({
  code: z.string().check(z.regex(/^[a-z0-9_]{1,64}$/, "a code of 1 to 64 of a-z, 0-9 and _ is expected")),
  message: z
    .string()
    .check(
      z.minLength(1, { error: "a message of 1 to 500 characters is expected" }),
      z.maxLength(500, { error: "a message of 1 to 500 characters is expected" }),
    ),
});
export type Reason = z.infer<typeof Reason>;

/** The reasons for a rejection: 1 to 50. */
export const Reasons = /* @__PURE__ */ list(Reason, 50).check(
  /* @__PURE__ */ z.minLength(1, { error: /* @__PURE__ */ expecting("one reason or more") }),
);
