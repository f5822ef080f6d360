import { attributeOf, type Item, type Value } from "./attribute-value.ts";
import { type ExpressionReader, type Parsed, type Path, parserOf } from "./expression-reader.ts";
import { assertDistinctPaths, memberOf, type Placeholders } from "./placeholders.ts";

export const parseProjection = parserOf("ProjectionExpression", paths);

function paths(reader: ExpressionReader): readonly Path[] {
  const projected: Path[] = [];
  do projected.push(reader.path());
  while (reader.accept(","));
  return projected;
}

/**
 * The paths with the names they stand for.
 *
 * @throws ValidationException when two overlap
 */
export function resolvedPaths({ kind, root }: Parsed<readonly Path[]>, placeholders: Placeholders): Path[] {
  const resolved = root.map((path) => placeholders.resolve(path));
  assertDistinctPaths(kind, resolved);
  return resolved;
}

/** What the item has at the paths; lists keep the members that are named, in order. */
export function projected(item: Item, paths: readonly Path[]): Item {
  const result: Item = {};
  for (const [name, steps] of byFirstStep(paths)) {
    const value = attributeOf(item, name as string);
    const part = value && partOf(value, steps);
    if (part) result[name as string] = part;
  }
  return result;
}

/** The rests of the paths by their first steps. */
function byFirstStep(paths: readonly Path[]): Map<string | number, Path[]> {
  const rests = new Map<string | number, Path[]>();
  for (const [first, ...rest] of paths) {
    const step = first as string | number;
    rests.set(step, [...(rests.get(step) ?? []), rest]);
  }
  return rests;
}

function partOf(value: Value, paths: readonly Path[]): Value | undefined {
  if (paths.some(({ length }) => length === 0)) return value;
  const steps = [...byFirstStep(paths)];
  const parts = steps
    .toSorted(([left], [right]) => Number(left) - Number(right) || 0)
    .flatMap(([step, rests]) => {
      const member = memberOf(value, step);
      const part = member && partOf(member, rests);
      return part ? [{ step, part }] : [];
    });
  if (parts.length === 0) return undefined;
  if ("L" in value) return { L: parts.map(({ part }) => part) };
  return { M: Object.fromEntries(parts.map(({ step, part }) => [step, part])) };
}
