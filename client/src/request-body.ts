import { isObject } from "./checks.ts";

/** What JSON cannot represent, by what the engines' messages, and that of {@link refuseNonFinite}, have in common. */
const FAULTS: readonly (readonly [RegExp, string])[] = [
  [/circular|cyclic/i, "it contains an object that refers to itself"],
  [/BigInt/, "it contains a BigInt; pass a number or a text instead"],
  [/NaN or Infinity/, "it contains NaN or Infinity, which JSON would send as null"],
];

/**
 * The body of a request as JSON.
 *
 * @throws TypeError if it is no object, or JSON cannot represent it. The engine's message is only in its cause, because
 *   an error of the caller's own `toJSON` could contain personal data.
 */
export function jsonOf(body: unknown): string {
  if (!isObject(body)) throw new TypeError("body: an object is expected");
  try {
    return JSON.stringify(body, refuseNonFinite);
  } catch (cause) {
    const fault = FAULTS.find(([pattern]) => pattern.test(String(cause)))?.[1] ?? "see the cause";
    throw new TypeError(`body: it cannot be converted to JSON: ${fault}`, { cause });
  }
}

/** A replacer for JSON, which has null for such numbers: an amend would clear the member. */
function refuseNonFinite(_name: string, value: unknown): unknown {
  if (typeof value === "number" && !Number.isFinite(value)) throw new RangeError("NaN or Infinity");
  return value;
}
