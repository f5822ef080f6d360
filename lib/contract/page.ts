import * as z from "zod/mini";

/** What a refused `cursor` should have been. */
export const CURSOR_EXPECTED = "the nextCursor of the previous page is expected";

/** The `limit` of a query: the maximum number of entries on a page, 1 to 100. */
export function pageLimit(byDefault: number) {
  const error = "a whole number from 1 to 100 is expected";
  const text = z.string({ error }).check(z.regex(/^(?:[1-9]\d?|100)$/, { error }));
  return z._default(z.pipe(text, z.transform(Number)), byDefault);
}
