import {
  compareValues,
  type Item,
  isEqual,
  isSet,
  keyOf,
  membersOf,
  typeOf,
  type Value,
} from "./attribute-value.ts";
import type { Comparator, Condition, ConditionFunction, Operand } from "./condition-expression.ts";
import type { Placeholders } from "./placeholders.ts";

/** Whether the condition holds of the item. */
export function holds(condition: Condition, item: Item, placeholders: Placeholders): boolean {
  switch (condition.kind) {
    case "AND":
      return holds(condition.left, item, placeholders) && holds(condition.right, item, placeholders);
    case "OR":
      return holds(condition.left, item, placeholders) || holds(condition.right, item, placeholders);
    case "NOT":
      return !holds(condition.condition, item, placeholders);
    case "compare":
      return compares(
        condition.comparator,
        evaluate(condition.left, item, placeholders),
        evaluate(condition.right, item, placeholders),
      );
    case "BETWEEN": {
      const value = evaluate(condition.operand, item, placeholders);
      return (
        compares(">=", value, evaluate(condition.low, item, placeholders)) &&
        compares("<=", value, evaluate(condition.high, item, placeholders))
      );
    }
    case "IN": {
      const value = evaluate(condition.operand, item, placeholders);
      return condition.candidates.some((one) => compares("=", value, evaluate(one, item, placeholders)));
    }
    case "function":
      return functionHolds(
        condition.name,
        condition.operands.map((operand) => evaluate(operand, item, placeholders)),
      );
  }
}

function evaluate(operand: Operand, item: Item, placeholders: Placeholders): Value | undefined {
  if (operand.kind === "value") return placeholders.value(operand.value);
  if (operand.kind === "path") return placeholders.read(item, operand.path);
  const value = evaluate(operand.of, item, placeholders);
  const size = value && lengthOf(value);
  return size === undefined ? undefined : { N: String(size) };
}

function lengthOf(value: Value): number | undefined {
  if ("S" in value) return value.S.length;
  if ("B" in value) return value.B.length;
  if ("L" in value) return value.L.length;
  if ("M" in value) return Object.keys(value.M).length;
  return isSet(value) ? membersOf(value).length : undefined;
}

/** What is missing differs from everything, itself included, and has no order. */
function compares(comparator: Comparator, left: Value | undefined, right: Value | undefined): boolean {
  if (comparator === "<>") return !left || !right || !isEqual(left, right);
  if (!left || !right) return false;
  if (comparator === "=") return isEqual(left, right);
  const order = compareValues(left, right);
  if (order === undefined) return false;
  switch (comparator) {
    case "<":
      return order < 0;
    case "<=":
      return order <= 0;
    case ">":
      return order > 0;
    case ">=":
      return order >= 0;
  }
}

function functionHolds(name: ConditionFunction, [first, second]: readonly (Value | undefined)[]): boolean {
  switch (name) {
    case "attribute_exists":
      return first !== undefined;
    case "attribute_not_exists":
      return first === undefined;
    case "attribute_type":
      return first !== undefined && second !== undefined && "S" in second && typeOf(first) === second.S;
    case "begins_with":
      return first !== undefined && second !== undefined && beginsWith(first, second);
    case "contains":
      return first !== undefined && second !== undefined && contains(first, second);
  }
}

function beginsWith(value: Value, prefix: Value): boolean {
  if ("S" in value && "S" in prefix) return value.S.startsWith(prefix.S);
  if ("B" in value && "B" in prefix) {
    return Buffer.compare(value.B.subarray(0, prefix.B.length), prefix.B) === 0;
  }
  return false;
}

function contains(value: Value, member: Value): boolean {
  if ("S" in value && "S" in member) return value.S.includes(member.S);
  if ("B" in value && "B" in member) return Buffer.from(value.B).includes(Buffer.from(member.B));
  if ("L" in value) return value.L.some((one) => isEqual(one, member));
  if ("SS" in value && "S" in member) return value.SS.includes(member.S);
  if ("NS" in value && "N" in member) return value.NS.includes(member.N);
  if ("BS" in value && "B" in member) return value.BS.some((one) => keyOf(one) === keyOf(member.B));
  return false;
}
