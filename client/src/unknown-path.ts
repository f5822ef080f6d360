import { isObject } from "./checks.ts";

/**
 * The service's messages of a 404 for a path that it does not have, which has the same code as a candidate that does
 * not exist: of an API route, and of a page of its documentation.
 */
const UNKNOWN_PATH: ReadonlySet<unknown> = new Set([
  "There is no such route. Check the path against the contract.",
  "There is no such page. The documentation begins at /docs.",
]);

/**
 * Whether a body says that the path does not exist. A wrong `baseUrl` would otherwise look like an erased candidate.
 */
export function isUnknownPath(body: unknown): boolean {
  return isObject(body) && body["error"] === "not_found" && UNKNOWN_PATH.has(body["message"]);
}
