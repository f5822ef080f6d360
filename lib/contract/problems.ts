import type * as z from "zod/mini";

/** The most problems that an error message lists. It also counts the others. */
const LISTED_PROBLEMS = 20;
/** The most problems that are counted. Validation may not find all of a larger number (`nestedList` in values.ts). */
const COUNTED_PROBLEMS = 100;
// The caller chooses member names. One that does not look like a name may contain anything and is not repeated.
const MEMBER_NAME = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;

type Path = readonly PropertyKey[];

interface Problem {
  readonly path: Path;
  readonly expectation: string;
}

/**
 * The problems of a refused value, as `<path>: <what is expected>` joined by `; `, in the order in which the
 * members were sent, followed by absent members. Lists the first twenty, and states how many more there are. Of more
 * than a hundred, some may not have been found, so these may not be the first. Never contains the value sent.
 *
 * @param root replaces the empty path of the value as a whole
 */
export function describeProblems(issues: readonly z.core.$ZodIssue[], value: unknown, root: string): string {
  const problems: Problem[] = [];
  let unlisted = 0;
  for (const issue of issues) {
    if (issue.code === "unrecognized_keys") {
      const names = issue.keys.filter((key) => MEMBER_NAME.test(key));
      // They are in the order sent, so only the first twenty can be among the first twenty problems.
      const first = names.slice(0, LISTED_PROBLEMS);
      problems.push(...first.map((name) => unknownMember(issue.path, name)));
      if (names.length < issue.keys.length) problems.push(otherUnknownMembers(issue.path));
      unlisted += names.length - first.length;
    } else if (!isSame(issue, problems.at(-1))) {
      problems.push({ path: issue.path, expectation: issue.message });
    }
  }
  const listed = problems
    .sort(byPositionIn(value))
    .slice(0, LISTED_PROBLEMS)
    .map(({ path, expectation }) => `${formatPath(path) || root}: ${expectation}`);
  const more =
    problems.length > COUNTED_PROBLEMS
      ? `more than ${COUNTED_PROBLEMS - listed.length}`
      : problems.length + unlisted - listed.length;
  return more === 0 ? listed.join("; ") : `${listed.join("; ")}; and ${more} more`;
}

function unknownMember(path: Path, name: string): Problem {
  return { path: [...path, name], expectation: "no member of this name is expected" };
}

/** One problem for all members whose names are not repeated in a message. */
function otherUnknownMembers(path: Path): Problem {
  return { path, expectation: "only members of the contract are expected" };
}

// Every check on one value has the same message, so two that fail count as one problem.
function isSame(issue: z.core.$ZodIssue, problem: Problem | undefined): boolean {
  return (
    issue.message === problem?.expectation &&
    issue.path.length === problem.path.length &&
    issue.path.every((part, depth) => part === problem.path[depth])
  );
}

function byPositionIn(root: unknown): (left: Problem, right: Problem) => number {
  const sent = new WeakMap<object, { readonly names: string[]; readonly positions: Map<string, number> }>();
  const positionOf = (container: unknown, part: PropertyKey): number => {
    if (typeof part === "number") return part;
    if (typeof container !== "object" || container === null) return 0;
    const { names, positions } = sent.get(container) ?? {
      names: Object.keys(container),
      positions: new Map(),
    };
    sent.set(container, { names, positions });
    const name = String(part);
    // An object may have half a million members. Few of their positions are needed, but each one many times.
    const found = positions.get(name) ?? names.indexOf(name);
    positions.set(name, found);
    return found < 0 ? names.length : found;
  };
  return (left, right) => {
    let container = root;
    for (let depth = 0; depth < Math.min(left.path.length, right.path.length); depth++) {
      const [one, other] = [left.path[depth] ?? "", right.path[depth] ?? ""];
      if (one !== other) return positionOf(container, one) - positionOf(container, other);
      container = (container as Readonly<Record<PropertyKey, unknown>>)[one];
    }
    return 0;
  };
}

/** Formats `["workHistory", 2, "startDate"]` as `workHistory[2].startDate`. */
function formatPath(path: Path): string {
  return path
    .map((part) => (typeof part === "number" ? `[${part}]` : `.${String(part)}`))
    .join("")
    .replace(/^\./, "");
}
