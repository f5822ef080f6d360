import { CommandError } from "../machine/command-error.ts";

/** Whether a record is passed to the function. */
export type RecordFilter = (record: unknown) => boolean;

type Matcher = (value: unknown) => boolean;

/**
 * A filter made of event patterns (Lambda's FilterCriteria). A record passes if any of them matches it.
 * Of EventBridge's operators it supports exact values, `exists`, `prefix` and `anything-but`, the last two with values.
 *
 * @throws CommandError for any other operator
 */
export function parsePattern(patterns: readonly string[]): RecordFilter {
  const matchers = patterns.map((pattern) => matcherOf(JSON.parse(pattern)));
  return (record) => matchers.length === 0 || matchers.some((matches) => matches(record));
}

function matcherOf(pattern: unknown): Matcher {
  if (Array.isArray(pattern)) {
    const alternatives = pattern.map(valueMatcher);
    return (value) => alternatives.some((matches) => matches(value));
  }
  // `$or` is an operator, not a member.
  if (!isObject(pattern) || "$or" in pattern) return unknownPattern(pattern);
  const members = Object.entries(pattern).map(([name, member]) => [name, matcherOf(member)] as const);
  return (value) => members.every(([name, matches]) => matches(isObject(value) ? value[name] : undefined));
}

function valueMatcher(alternative: unknown): Matcher {
  if (!isObject(alternative)) return (value) => value === alternative;
  const [[operator, operand] = [], ...others] = Object.entries(alternative);
  if (others.length > 0) return unknownPattern(alternative);
  switch (operator) {
    case "exists":
      return (value) => isLeaf(value) === operand;
    case "prefix":
      if (typeof operand !== "string") return unknownPattern(alternative);
      return (value) => typeof value === "string" && value.startsWith(operand);
    case "anything-but": {
      const excluded: readonly unknown[] = Array.isArray(operand) ? operand : [operand];
      if (excluded.some(isObject)) return unknownPattern(alternative);
      return (value) => value !== undefined && !excluded.includes(value);
    }
    default:
      return unknownPattern(alternative);
  }
}

/** `exists` finds no objects: operators "only work on leaf nodes" (Amazon EventBridge user guide). */
function isLeaf(value: unknown): boolean {
  return value !== undefined && !isObject(value);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function unknownPattern(pattern: unknown): never {
  throw new CommandError(
    `The local stack does not support the filter pattern ${JSON.stringify(pattern)}. Add it to local/event-sources/record-filter.ts.`,
  );
}
