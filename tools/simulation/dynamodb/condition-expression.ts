import {
  compareValues,
  type Item,
  isEqual,
  isSet,
  keyOf,
  membersOf,
  TYPES,
  type Type,
  typeOf,
  type Value,
} from "./attribute-value.ts";
import { ValidationException } from "./errors.ts";
import { type ExpressionReader, type Parsed, type Path, parserOf } from "./expression-reader.ts";
import { type Placeholders, pathText } from "./placeholders.ts";

export type Comparator = "=" | "<>" | "<" | "<=" | ">" | ">=";
const COMPARATORS: readonly string[] = ["=", "<>", "<", "<=", ">", ">="] satisfies Comparator[];

export type Operand =
  | { readonly kind: "path"; readonly path: Path }
  | { readonly kind: "value"; readonly value: string }
  | { readonly kind: "size"; readonly of: Operand };

/** The functions that are conditions, and how many operands they take. */
const FUNCTIONS = {
  attribute_exists: 1,
  attribute_not_exists: 1,
  attribute_type: 2,
  begins_with: 2,
  contains: 2,
} as const;
type ConditionFunction = keyof typeof FUNCTIONS;

export type Condition =
  | { readonly kind: "AND" | "OR"; readonly left: Condition; readonly right: Condition }
  | { readonly kind: "NOT"; readonly condition: Condition }
  | {
      readonly kind: "compare";
      readonly comparator: Comparator;
      readonly left: Operand;
      readonly right: Operand;
    }
  | { readonly kind: "BETWEEN"; readonly operand: Operand; readonly low: Operand; readonly high: Operand }
  | { readonly kind: "IN"; readonly operand: Operand; readonly candidates: readonly Operand[] }
  | { readonly kind: "function"; readonly name: ConditionFunction; readonly operands: readonly Operand[] };

/** The operands of IN (Amazon DynamoDB quotas, "Expression parameters"). */
const IN_OPERANDS = 100;

export const parseCondition = parserOf("ConditionExpression", disjunction);
export const parseFilter = parserOf("FilterExpression", disjunction);
export const parseKeyCondition = parserOf("KeyConditionExpression", disjunction);

function disjunction(reader: ExpressionReader): Condition {
  let left = conjunction(reader);
  while (reader.accept("OR")) {
    reader.countOperator();
    left = { kind: "OR", left, right: conjunction(reader) };
  }
  return left;
}

function conjunction(reader: ExpressionReader): Condition {
  let left = negation(reader);
  while (reader.accept("AND")) {
    reader.countOperator();
    left = { kind: "AND", left, right: negation(reader) };
  }
  return left;
}

function negation(reader: ExpressionReader): Condition {
  if (!reader.accept("NOT")) return primary(reader);
  reader.countOperator();
  return { kind: "NOT", condition: negation(reader) };
}

function primary(reader: ExpressionReader): Condition {
  if (reader.peek() === "(" && !isOperandInParentheses(reader)) {
    const closing = reader.closingParenthesis();
    if (reader.peek(1) === "(" && reader.closingParenthesis(1) === closing - 1) {
      throw reader.invalid("The expression has redundant parentheses;");
    }
    reader.expect("(");
    const condition = disjunction(reader);
    reader.expect(")");
    return condition;
  }
  if (reader.isFunction() && reader.peek() !== "size") return conditionFunction(reader);
  const left = operand(reader);
  if (reader.accept("BETWEEN")) {
    reader.countOperator();
    const low = operand(reader);
    reader.expect("AND");
    return { kind: "BETWEEN", operand: left, low, high: operand(reader) };
  }
  if (reader.accept("IN")) {
    reader.countOperator();
    return { kind: "IN", operand: left, candidates: operands(reader) };
  }
  if (left.kind === "size" && !COMPARATORS.includes(reader.peek() ?? "")) {
    throw reader.invalid("The function is not allowed to be used this way in an expression; function: size");
  }
  const comparator = reader.next();
  if (!COMPARATORS.includes(comparator)) throw reader.invalid(`Syntax error; token: "${comparator}"`);
  reader.countOperator();
  return { kind: "compare", comparator: comparator as Comparator, left, right: operand(reader) };
}

function isOperandInParentheses(reader: ExpressionReader): boolean {
  const following = reader.peek(reader.closingParenthesis() + 1)?.toUpperCase() ?? "";
  return COMPARATORS.includes(following) || following === "BETWEEN" || following === "IN";
}

function conditionFunction(reader: ExpressionReader): Condition {
  const name = reader.next();
  if (!Object.hasOwn(FUNCTIONS, name)) throw reader.invalid(`Invalid function name; function: ${name}`);
  reader.countOperator();
  const given = operands(reader);
  if (given.length !== FUNCTIONS[name as ConditionFunction]) {
    throw reader.invalid(
      `Incorrect number of operands for operator or function; operator or function: ${name}, number of operands: ${given.length}`,
    );
  }
  if (name.startsWith("attribute_") && given[0]?.kind !== "path") {
    throw reader.invalid(`Operator or function requires a document path; operator or function: ${name}`);
  }
  return { kind: "function", name: name as ConditionFunction, operands: given };
}

function operands(reader: ExpressionReader): Operand[] {
  const given: Operand[] = [];
  reader.expect("(");
  do given.push(operand(reader));
  while (reader.accept(","));
  reader.expect(")");
  return given;
}

function operand(reader: ExpressionReader): Operand {
  if (reader.accept("(")) {
    const inner = operand(reader);
    reader.expect(")");
    return inner;
  }
  if (reader.isFunction()) {
    const name = reader.next();
    reader.countOperator();
    const [of, ...more] = operands(reader);
    if (name !== "size") {
      throw reader.invalid(
        Object.hasOwn(FUNCTIONS, name)
          ? `The function is not allowed to be used this way in an expression; function: ${name}`
          : `Invalid function name; function: ${name}`,
      );
    }
    if (!of || more.length > 0) {
      throw reader.invalid(
        `Incorrect number of operands for operator or function; operator or function: size, number of operands: ${more.length + 1}`,
      );
    }
    return { kind: "size", of };
  }
  if (reader.peek()?.startsWith(":")) return { kind: "value", value: reader.value() };
  return { kind: "path", path: reader.path() };
}

/**
 * Refuses what DynamoDB refuses whatever the item is.
 *
 * @throws ValidationException
 */
export function assertOperands({ kind, root }: Parsed<Condition>, placeholders: Placeholders): void {
  assertValid(root, (rule) => new ValidationException(`Invalid ${kind}: ${rule}`), placeholders);
}

function assertValid(
  condition: Condition,
  invalid: (rule: string) => ValidationException,
  placeholders: Placeholders,
): void {
  const literal = (operand: Operand | undefined) =>
    operand?.kind === "value" ? placeholders.value(operand.value) : undefined;
  const assertApart = (operator: string, first: Operand | undefined, others: readonly Operand[]) => {
    if (first?.kind !== "path") return;
    if (others.some((other) => other.kind === "path" && placeholders.isSamePath(first.path, other.path))) {
      throw invalid(
        `The first operand must be distinct from the remaining operands for this operator or function; operator: ${operator}, first operand: ${pathText(placeholders.resolve(first.path))}`,
      );
    }
  };
  const assertType = (operator: string, operand: Operand | undefined, types: readonly Type[]) => {
    const value = literal(operand);
    if (value && !types.includes(typeOf(value))) {
      throw invalid(
        `Incorrect operand type for operator or function; operator or function: ${operator}, operand type: ${typeOf(value)}`,
      );
    }
  };
  switch (condition.kind) {
    case "AND":
    case "OR":
      assertValid(condition.left, invalid, placeholders);
      assertValid(condition.right, invalid, placeholders);
      return;
    case "NOT":
      assertValid(condition.condition, invalid, placeholders);
      return;
    case "compare": {
      const { comparator, left, right } = condition;
      assertApart(comparator, left, [right]);
      if (comparator === "=" || comparator === "<>") return;
      assertType(comparator, left, ORDERED);
      assertType(comparator, right, ORDERED);
      return;
    }
    case "BETWEEN": {
      const { operand, low, high } = condition;
      assertApart("BETWEEN", operand, [low, high]);
      for (const one of [operand, low, high]) assertType("BETWEEN", one, ORDERED);
      const [from, to] = [literal(low), literal(high)];
      if (!from || !to) return;
      const order = compareValues(from, to);
      if (order === undefined) {
        throw invalid("The BETWEEN operator requires same data type for lower and upper bounds");
      }
      if (order > 0) {
        throw invalid("The BETWEEN operator requires upper bound to be greater than or equal to lower bound");
      }
      return;
    }
    case "IN":
      if (condition.candidates.length > IN_OPERANDS) {
        throw invalid(
          `The IN operator is provided with too many operands; number of operands: ${condition.candidates.length}`,
        );
      }
      assertApart("IN", condition.operand, condition.candidates);
      return;
    case "function": {
      const { name } = condition;
      const [first, second] = condition.operands;
      if (name === "contains") assertApart(name, first, [second as Operand]);
      if (name === "begins_with") {
        assertApart(name, first, [second as Operand]);
        assertType(name, first, PREFIXED);
        assertType(name, second, PREFIXED);
      }
      if (name === "attribute_type") {
        const type = literal(second);
        if (!type || !("S" in type)) {
          throw invalid(
            "Incorrect operand type for operator or function; operator or function: attribute_type",
          );
        }
        if (!(TYPES as readonly string[]).includes(type.S)) {
          throw invalid(`Invalid attribute type name found; type: ${type.S}`);
        }
      }
    }
  }
}

const ORDERED = ["S", "N", "B"] as const;
const PREFIXED = ["S", "B"] as const;

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
