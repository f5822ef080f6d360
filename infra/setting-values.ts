import { closest } from "fastest-levenshtein";
import * as z from "zod";

/** @param reason of the bounds: whose they are, or what depends on them */
export function wholeNumber(least: number, most?: number, reason?: string) {
  const bounds =
    most === undefined ? `of at least ${least}` : `from ${least} to ${most.toLocaleString("en")}`;
  return z
    .int(`a whole number ${bounds} is expected${reason === undefined ? "" : ` (${reason})`}`)
    .min(least)
    .max(most ?? Number.MAX_SAFE_INTEGER);
}

/** An object with these members and no others. The message about an unknown one names the most similar one. */
export function settings<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  const names = Object.keys(shape);
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === "unrecognized_keys"
        ? issue.keys
            .map((key) => `${key} is unknown; the most similar name is ${closest(key, names)}`)
            .join(", ")
        : `an object with ${names.join(", ")} is expected`,
  });
}
