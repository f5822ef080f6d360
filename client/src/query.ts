/** A query has no signal: the call's options, its last argument, do. */
export interface WithoutSignal {
  readonly signal?: never;
}

/**
 * Refuses what would be ignored in silence: a misspelt filter reads too much, and a signal in the query cancels nothing.
 *
 * @throws TypeError on a member that the query does not have
 */
export function assertQuery(query: object, members: readonly string[]): void {
  const others = Object.entries(query).filter(
    ([name, value]) => value !== undefined && !members.includes(name),
  );
  const [[name] = [undefined]] = others;
  if (name === undefined) return;
  const remedy =
    name === "signal" ? "pass it in the options, the last argument" : `expected are ${members.join(", ")}`;
  throw new TypeError(`query: it has no member ${name}; ${remedy}`);
}
