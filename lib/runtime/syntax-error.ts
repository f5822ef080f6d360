/**
 * Whether it is an error of `JSON.parse`, as it was thrown or as the logger formats it. Its message, which the stack
 * repeats, quotes the text that is not JSON: the body of a message, or the keyring.
 */
export function isSyntaxError(value: unknown): value is Error {
  return value instanceof Object && "name" in value && value.name === "SyntaxError";
}
