import type * as z from "zod/mini";

/** The most problems, and the most characters, that an error message lists. It states how many more there are. */
const NAMED_PROBLEMS = 20;
const NAMED_LENGTH = 3_500;
/** The most problems that are counted. Some are not found if a value has more (see `nestedList` in values.ts). */
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
 * members were sent, followed by absent members. Lists the first twenty and how many more there are; of more than
 * a hundred problems, twenty of those that were found. Never contains the value that was sent.
 *
 * @param root replaces the empty path of the value as a whole
 */
export function describeProblems(issues: readonly z.core.$ZodIssue[], value: unknown, root: string): string {
  const problems: Problem[] = [];
  let unnamed = 0;
  for (const issue of issues) {
    if (issue.code === "unrecognized_keys") {
      // Keys are in the order sent, so only the first twenty can be among the first twenty problems.
      const names = issue.keys.slice(0, NAMED_PROBLEMS);
      problems.push(...names.map((name) => unknownMember(issue.path, name)));
      unnamed += issue.keys.length - names.length;
    } else if (!isSame(issue, problems.at(-1))) {
      problems.push({ path: issue.path, expectation: issue.message });
    }
  }
  const named: string[] = [];
  let length = 0;
  for (const { path, expectation } of problems.sort(byPositionIn(value)).slice(0, NAMED_PROBLEMS)) {
    const problem = `${spell(path) || root}: ${expectation}`;
    length += problem.length;
    if (length > NAMED_LENGTH) break;
    named.push(problem);
  }
  const more =
    problems.length > COUNTED_PROBLEMS
      ? `more than ${COUNTED_PROBLEMS - named.length}`
      : problems.length + unnamed - named.length;
  return more === 0 ? named.join("; ") : `${named.join("; ")}; and ${more} more`;
}

function unknownMember(path: Path, name: string): Problem {
  return MEMBER_NAME.test(name)
    ? { path: [...path, name], expectation: "no member of this name is expected" }
    : { path, expectation: "only members of the contract are expected" };
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
    // Of half a million names, few are asked for, but each many times.
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

/** `["workHistory", 2, "startDate"]` as `workHistory[2].startDate`. */
function spell(path: Path): string {
  return path
    .map((part) => (typeof part === "number" ? `[${part}]` : `.${String(part)}`))
    .join("")
    .replace(/^\./, "");
}
