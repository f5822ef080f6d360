import * as z from "zod/mini";

/**
 * A rule between members of one object. It runs even while the object has other problems, so that the
 * error message names all of them; `holds` therefore sees members that are absent or not of their type.
 */
export function rule<Value>(holds: (value: Partial<Value>) => boolean, error: string) {
  return z.refine<Value>((value) => holds(value), {
    error,
    when: ({ value }) => typeof value === "object" && value !== null && !Array.isArray(value),
  });
}

/** Whether a member was left out or sent as null. */
export function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
}
