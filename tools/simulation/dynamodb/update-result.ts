import { type Item, isSet, keyOf, membersOf, typeOf, type Value } from "./attribute-value.ts";
import { addNumbers, subtractNumbers } from "./decimal.ts";
import { ValidationException } from "./errors.ts";
import { type InnerChange, withInner } from "./inner-changes.ts";
import type { Placeholders } from "./placeholders.ts";
import type { Action, Assigned, Update } from "./update-expression.ts";

/** The attributes that an update names. */
export function updatedAttributes(update: Update, placeholders: Placeholders): string[] {
  return update.map(({ path }) => placeholders.name(path[0] as string));
}

/**
 * The item as the update makes it. Every operand is read from the item before the update.
 *
 * @throws ValidationException when the update does not fit the item
 */
export function updated(item: Item, update: Update, placeholders: Placeholders): Item {
  const next = { ...item };
  const inner: InnerChange[] = [];
  for (const action of update) {
    const value = outcome(item, action, placeholders);
    const { path } = action;
    if (path.length > 1) {
      inner.push({ path: placeholders.resolve(path), value });
      continue;
    }
    const name = placeholders.name(path[0] as string);
    if (value) next[name] = value;
    else delete next[name];
  }
  return inner.length === 0 ? next : withInner(item, next, inner);
}

/** What the action leaves at its path; undefined when nothing. */
function outcome(item: Item, action: Action, placeholders: Placeholders): Value | undefined {
  switch (action.kind) {
    case "REMOVE":
      return undefined;
    case "SET":
      return assignedValue(item, action.assigned, placeholders);
    case "ADD": {
      const present = placeholders.read(item, action.path);
      const added = placeholders.value(action.value);
      if (!present) return added;
      if ("N" in added && "N" in present) return { N: addNumbers(present.N, added.N) };
      return combined(present, added, (members, others) => [
        ...members,
        ...others.filter((other) => !isAmong(members, other)),
      ]);
    }
    case "DELETE": {
      const present = placeholders.read(item, action.path);
      if (!present) return undefined;
      const left = combined(present, placeholders.value(action.value), (members, others) =>
        members.filter((member) => !isAmong(others, member)),
      );
      return isSet(left) && membersOf(left).length === 0 ? undefined : left;
    }
  }
}

type Members = readonly (string | Uint8Array)[];

function isAmong(members: Members, one: string | Uint8Array): boolean {
  return members.some((member) => keyOf(member) === keyOf(one));
}

function combined(left: Value, right: Value, combine: (left: Members, right: Members) => Members): Value {
  if (!isSet(left) || !isSet(right) || typeOf(left) !== typeOf(right)) throw incorrectType();
  return { [typeOf(left)]: combine(membersOf(left), membersOf(right)) } as unknown as Value;
}

function assignedValue(item: Item, assigned: Assigned, placeholders: Placeholders): Value {
  switch (assigned.kind) {
    case "value":
      return placeholders.value(assigned.value);
    case "path": {
      const value = placeholders.read(item, assigned.path);
      if (value) return value;
      throw new ValidationException(
        "The provided expression refers to an attribute that does not exist in the item",
      );
    }
    case "if_not_exists":
      return placeholders.read(item, assigned.path) ?? assignedValue(item, assigned.otherwise, placeholders);
    case "list_append": {
      const left = assignedValue(item, assigned.left, placeholders);
      const right = assignedValue(item, assigned.right, placeholders);
      if (!("L" in left) || !("L" in right)) throw incorrectType();
      return { L: [...left.L, ...right.L] };
    }
    default: {
      const left = assignedValue(item, assigned.left, placeholders);
      const right = assignedValue(item, assigned.right, placeholders);
      if (!("N" in left) || !("N" in right)) throw incorrectType();
      const calculate = assigned.kind === "+" ? addNumbers : subtractNumbers;
      return { N: calculate(left.N, right.N) };
    }
  }
}

function incorrectType(): ValidationException {
  return new ValidationException("An operand in the update expression has an incorrect data type");
}
