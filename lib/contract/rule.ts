import * as z from "zod/mini";

/**
 * A rule between members of one object. It runs even if the object has other problems, except a list that is too
 * long, so that the error message lists all of them. `holds` therefore receives members that may be absent or of a
 * wrong type.
 */
export function rule<Value>(holds: (value: Partial<Value>) => boolean, error: string) {
  return z.refine<Value>((value) => holds(value), {
    error,
    when: ({ value }) => typeof value === "object" && value !== null && !Array.isArray(value),
  });
}

/** Whether a member was omitted or sent as null. */
export function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
}
