/** Whether a value is of the expected kind. */
export type Check = (value: unknown) => boolean;

/**
 * The longest id or cursor, in UTF-16 code units: the service's own have fewer than 200, and readers keep them.
 */
const LONGEST_ID = 1_024;

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

/** Whether it is an id or a cursor. */
export function isId(value: unknown): value is string {
  return isText(value) && value.length <= LONGEST_ID;
}

/** The check for an array whose elements are all valid. */
export function arrayOf(isValid: Check): Check {
  return (value) => Array.isArray(value) && value.every(isValid);
}
