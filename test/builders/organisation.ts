import { Organisation } from "#contract/organisation";

/** A handle key as the table and the authorizer's context hold it. */
export const A_HANDLE_KEY = Buffer.alloc(32, "a handle key of the tests").toString("base64url");

/** The organisation of tests that need no other. */
export const ACME = Organisation.parse({ orgId: "acme", handleKey: A_HANDLE_KEY });
