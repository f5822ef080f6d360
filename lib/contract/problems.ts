import type * as z from "zod/mini";

/** How many problems an error message names before it says how many more there are. */
const NAMED_PROBLEMS = 20;
// A member name comes from the caller: one that does not read as a name may be anything, so it is not repeated.
const MEMBER_NAME = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;

/**
 * The problems of a refused value, as `<path>: <what is expected>` joined by `; `, in the order of the
 * contract's tables: the first twenty, then how many more. Never the value that was sent.
 *
 * @param root what stands for the path of the value as a whole
 */
export function describeProblems(issues: readonly z.core.$ZodIssue[], root: string): string {
  const named: string[] = [];
  let total = 0;
  for (const issue of issues) {
    const room = NAMED_PROBLEMS - named.length;
    if (issue.code === "unrecognized_keys") {
      total += issue.keys.length;
      named.push(...issue.keys.slice(0, room).map((name) => unknownMember(issue.path, name, root)));
    } else {
      total += 1;
      if (room > 0) named.push(`${pathOf(issue.path, root)}: ${issue.message}`);
    }
  }
  const more = total - named.length;
  return more > 0 ? `${named.join("; ")}; and ${more} more` : named.join("; ");
}

function unknownMember(path: readonly PropertyKey[], name: string, root: string): string {
  return MEMBER_NAME.test(name)
    ? `${pathOf([...path, name], root)}: no member of this name is expected`
    : `${pathOf(path, root)}: no member beside those of the contract is expected`;
}

/** `["workHistory", 2, "startDate"]` as `workHistory[2].startDate`. */
function pathOf(path: readonly PropertyKey[], root: string): string {
  return (
    path
      .map((part) => (typeof part === "number" ? `[${part}]` : `.${String(part)}`))
      .join("")
      .replace(/^\./, "") || root
  );
}
