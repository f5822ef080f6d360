import {
  attributeOf,
  type Item,
  isSet,
  keyOf,
  membersOf,
  type Type,
  typeOf,
  type Value,
} from "./attribute-value.ts";
import { addNumbers, subtractNumbers } from "./decimal.ts";
import { ValidationException } from "./errors.ts";
import { type ExpressionReader, type Parsed, type Path, parserOf } from "./expression-reader.ts";
import { assertDistinctPaths, memberOf, type Placeholders } from "./placeholders.ts";

type Operand =
  | { readonly kind: "path"; readonly path: Path }
  | { readonly kind: "value"; readonly value: string }
  | { readonly kind: "if_not_exists"; readonly path: Path; readonly otherwise: Operand }
  | { readonly kind: "list_append"; readonly left: Operand; readonly right: Operand };

type Assigned =
  | Operand
  | { readonly kind: "+"; readonly left: Operand; readonly right: Operand }
  | { readonly kind: "-"; readonly left: Operand; readonly right: Operand };

type Action =
  | { readonly kind: "SET"; readonly path: Path; readonly assigned: Assigned }
  | { readonly kind: "REMOVE"; readonly path: Path }
  | { readonly kind: "ADD" | "DELETE"; readonly path: Path; readonly value: string };

export type Update = readonly Action[];

const CLAUSES = ["SET", "REMOVE", "ADD", "DELETE"] as const;

export const parseUpdate = parserOf("UpdateExpression", clauses);

function clauses(reader: ExpressionReader): Update {
  const actions: Action[] = [];
  const seen = new Set<string>();
  do {
    const clause = CLAUSES.find((one) => reader.accept(one));
    if (!clause) throw reader.syntaxError();
    if (seen.has(clause)) {
      throw reader.invalid(`The "${clause}" section can only be used once in an update expression;`);
    }
    seen.add(clause);
    do actions.push(action(clause, reader));
    while (reader.accept(","));
  } while (reader.peek() !== undefined);
  return actions;
}

function action(kind: (typeof CLAUSES)[number], reader: ExpressionReader): Action {
  const path = reader.path();
  if (kind === "REMOVE") return { kind, path };
  if (kind !== "SET") return { kind, path, value: reader.value() };
  reader.expect("=");
  return { kind, path, assigned: assigned(reader) };
}

function assigned(reader: ExpressionReader): Assigned {
  if (reader.accept("(")) {
    const inner = assigned(reader);
    reader.expect(")");
    return inner;
  }
  const left = operand(reader);
  const kind = reader.peek();
  if (kind !== "+" && kind !== "-") return left;
  reader.next();
  reader.countOperator();
  const right = operand(reader);
  if (left.kind === "list_append" || right.kind === "list_append") {
    throw reader.invalid(
      "The function is not allowed to be used this way in an expression; function: list_append",
    );
  }
  return { kind, left, right };
}

/** Functions of conditions, which an update refuses in other words than an unknown one. */
const CONDITION_FUNCTIONS = [
  "attribute_exists",
  "attribute_not_exists",
  "attribute_type",
  "begins_with",
  "contains",
  "size",
];

function operand(reader: ExpressionReader): Operand {
  if (reader.peek()?.startsWith(":")) return { kind: "value", value: reader.value() };
  if (!reader.isFunction()) return { kind: "path", path: reader.path() };
  const kind = reader.next();
  if (kind !== "if_not_exists" && kind !== "list_append") {
    throw reader.invalid(
      CONDITION_FUNCTIONS.includes(kind)
        ? `The function is not allowed in an update expression; function: ${kind}`
        : `Invalid function name; function: ${kind}`,
    );
  }
  reader.countOperator();
  const given: Operand[] = [];
  reader.expect("(");
  do given.push(operand(reader));
  while (reader.accept(","));
  reader.expect(")");
  const [left, right, ...more] = given;
  if (!left || !right || more.length > 0) {
    throw reader.invalid(
      `Incorrect number of operands for operator or function; operator or function: ${kind}, number of operands: ${given.length}`,
    );
  }
  if (kind === "list_append") return { kind, left, right };
  if (left.kind !== "path") {
    throw reader.invalid(`Operator or function requires a document path; operator or function: ${kind}`);
  }
  return { kind, path: left.path, otherwise: right };
}

/**
 * Refuses what DynamoDB refuses whatever the item is.
 *
 * @param keys the attributes of the table's key, which no update may touch
 * @throws ValidationException
 */
export function assertUpdate(
  { kind, root }: Parsed<Update>,
  placeholders: Placeholders,
  keys: readonly string[],
): void {
  const assertType = (operator: string, operand: Operand, types: readonly Type[]): void => {
    if (operand.kind === "if_not_exists" && operator !== "list_append") {
      assertType(operator, operand.otherwise, types);
    }
    if (operand.kind !== "value") return;
    const type = typeOf(placeholders.value(operand.value));
    if (types.includes(type)) return;
    throw new ValidationException(
      `Invalid ${kind}: Incorrect operand type for operator or function; operator or function: ${operator}, operand type: ${type}`,
    );
  };
  const assertOperand = (operand: Operand): void => {
    if (operand.kind === "if_not_exists") assertOperand(operand.otherwise);
    if (operand.kind !== "list_append") return;
    for (const list of [operand.left, operand.right]) {
      assertType("list_append", list, ["L"]);
      assertOperand(list);
    }
  };
  for (const action of root) {
    if (action.kind === "SET") {
      const { assigned } = action;
      if (assigned.kind === "+" || assigned.kind === "-") {
        for (const number of [assigned.left, assigned.right]) {
          assertType(assigned.kind, number, ["N"]);
          assertOperand(number);
        }
      } else {
        assertOperand(assigned);
      }
    }
    if (action.kind === "ADD") assertType("ADD", { kind: "value", value: action.value }, ADDED);
    if (action.kind === "DELETE") assertType("DELETE", { kind: "value", value: action.value }, SETS);
  }
  const paths = root.map(({ path }) => placeholders.resolve(path));
  assertDistinctPaths(kind, paths);
  for (const [name] of paths) {
    if (!keys.includes(name as string)) continue;
    throw new ValidationException(
      `One or more parameter values were invalid: Cannot update attribute ${name}. This attribute is part of the key`,
    );
  }
}

const SETS = ["SS", "NS", "BS"] as const;
const ADDED = ["N", ...SETS] as const;

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
  const inner: { path: Path; value: Value | undefined }[] = [];
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

interface InnerChange {
  readonly path: Path;
  readonly value: Value | undefined;
}

/**
 * Changes inside of maps and lists. Indexes are those of the lists before the update: what is set comes first,
 * from the lowest index, so that what lies beyond a list's end is appended in order; what is removed follows,
 * from the highest.
 */
function withInner(before: Item, next: Item, changes: readonly InnerChange[]): Item {
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
