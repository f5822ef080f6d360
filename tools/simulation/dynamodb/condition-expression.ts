import { type ExpressionReader, type Path, parserOf } from "./expression-reader.ts";

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
export type ConditionFunction = keyof typeof FUNCTIONS;

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
