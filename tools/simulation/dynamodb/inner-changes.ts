import { attributeOf, type Item, type Value } from "./attribute-value.ts";
import { ValidationException } from "./errors.ts";
import type { Path } from "./expression-reader.ts";
import { memberOf } from "./placeholders.ts";

export interface InnerChange {
  readonly path: Path;
  readonly value: Value | undefined;
}

/**
 * Changes inside of maps and lists. Indexes are those of the lists before the update: what is set comes first,
 * from the lowest index, so that what lies beyond a list's end is appended in order; what is removed follows,
 * from the highest.
 */
export function withInner(before: Item, next: Item, changes: readonly InnerChange[]): Item {
  const ordered = changes.toSorted((left, right) => comparePaths(left.path, right.path));
  let item = next;
  for (const { path, value } of ordered) {
    if (value) item = { ...item, ...changedAttribute(item, path, value) };
  }
  for (const { path, value } of ordered.toReversed()) {
    if (value) continue;
    assertParent(before, path);
    if (at(before, path)) item = { ...item, ...changedAttribute(item, path, undefined) };
  }
  return item;
}

function comparePaths(left: Path, right: Path): number {
  const depth = left.findIndex((step, index) => step !== right[index]);
  const [step, other] = [left[depth], right[depth]];
  if (typeof step === "number" && typeof other === "number") return step - other;
  return String(step) < String(other) ? -1 : 1;
}

function at(item: Item, [name, ...steps]: Path): Value | undefined {
  return steps.reduce<Value | undefined>(
    (value, step) => value && memberOf(value, step),
    attributeOf(item, name as string),
  );
}

function assertParent(item: Item, path: Path): void {
  const parent = at(item, path.slice(0, -1));
  const isParent = parent && (typeof path.at(-1) === "string" ? "M" in parent : "L" in parent);
  if (!isParent) throw invalidPath();
}

function invalidPath(): ValidationException {
  return new ValidationException("The document path provided in the update expression is invalid for update");
}

function changedAttribute(item: Item, [name, ...steps]: Path, value: Value | undefined): Item {
  const attribute = attributeOf(item, name as string);
  if (!attribute) throw invalidPath();
  return { [name as string]: changed(attribute, steps, value) };
}

function changed(container: Value, [step, ...steps]: Path, value: Value | undefined): Value {
  const change = (member: Value | undefined) => {
    if (steps.length === 0) return value;
    if (!member) throw invalidPath();
    return changed(member, steps, value);
  };
  if (typeof step === "string" && "M" in container) {
    const map = { ...container.M };
    const member = change(attributeOf(map, step));
    if (member) map[step] = member;
    else delete map[step];
    return { M: map };
  }
  if (typeof step === "number" && "L" in container) {
    const list = [...container.L];
    const member = change(list[step]);
    list.splice(step, 1, ...(member ? [member] : []));
    return { L: list };
  }
  throw invalidPath();
}
