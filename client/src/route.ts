import { isText } from "./checks.ts";
import { operations } from "./operations.ts";
import type { Call } from "./transport.ts";

/** The values of a path's parameters. */
type Values<Path extends string> = Path extends `${string}{${string}}${infer Rest}`
  ? [string, ...Values<Rest>]
  : [];

type Operations = typeof operations;

/** The method of an operation, its path with these values, and the status of its success. */
export function route<Id extends keyof Operations>(
  operationId: Id,
  ...values: Values<Operations[Id]["path"]>
): Pick<Call, "method" | "path" | "status"> {
  const { method, path, status } = operations[operationId];
  const given: string[] = [...values];
  const named = path.replace(/{(\w+)}/g, (_, name: string) => segment(name, given.shift()));
  return { method, path: named, status };
}

/** @throws TypeError for a value that would make the request one of another path (RFC 3986 section 5.2.4) */
function segment(name: string, value: unknown): string {
  if (value === "." || value === "..") {
    throw new TypeError(`${name}: a text other than "." and ".." is expected`);
  }
  return encoded(name, value);
}

/**
 * A value in a path or a query.
 *
 * @throws TypeError if it is no text: a missing one would be sent as the text `undefined`
 */
export function encoded(name: string, value: unknown): string {
  if (!isText(value)) throw new TypeError(`${name}: a text of at least one character is expected`);
  try {
    return encodeURIComponent(value);
  } catch (cause) {
    throw new TypeError(`${name}: half of a surrogate pair cannot be sent`, { cause });
  }
}
