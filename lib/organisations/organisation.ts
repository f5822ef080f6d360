import * as z from "zod/mini";
import { expecting } from "#contract/values";

const orgIdExpected = expecting("an organisation id of 1 to 64 lower-case letters, digits, - and _");

/** An organisation's id. It is part of keys, and has none of the characters that separate their parts. */
export const OrgId = z
  .string({ error: orgIdExpected })
  .check(z.regex(/^[a-z0-9][a-z0-9_-]{0,63}$/, { error: orgIdExpected }));
