import { compareValues, TYPES, type Type, typeOf, type Value } from "./attribute-value.ts";
import type { Condition, Operand } from "./condition-expression.ts";
import { ValidationException } from "./errors.ts";
import type { ExpressionKind, Parsed } from "./expression-reader.ts";
import { type Placeholders, pathText } from "./placeholders.ts";

/** The operands of IN (Amazon DynamoDB quotas, "Expression parameters"). */
const IN_OPERANDS = 100;

/**
 * Refuses what DynamoDB refuses whatever the item is.
 *
 * @throws ValidationException
 */
export function assertOperands({ kind, root }: Parsed<Condition>, placeholders: Placeholders): void {
  new ConditionRules(kind, placeholders).assertValid(root);
}

type Comparison = Extract<Condition, { kind: "compare" }>;
type Between = Extract<Condition, { kind: "BETWEEN" }>;
type FunctionCall = Extract<Condition, { kind: "function" }>;

const ORDERED = ["S", "N", "B"] as const;
const PREFIXED = ["S", "B"] as const;

/** What DynamoDB allows in the conditions of one expression. */
class ConditionRules {
  readonly #kind: ExpressionKind;
  readonly #placeholders: Placeholders;

  constructor(kind: ExpressionKind, placeholders: Placeholders) {
    this.#kind = kind;
    this.#placeholders = placeholders;
  }

  /** @throws ValidationException */
  assertValid(condition: Condition): void {
    switch (condition.kind) {
      case "AND":
      case "OR":
        this.assertValid(condition.left);
        this.assertValid(condition.right);
        return;
      case "NOT":
        this.assertValid(condition.condition);
        return;
      case "compare":
        this.#assertComparison(condition);
        return;
      case "BETWEEN":
        this.#assertBetween(condition);
        return;
      case "IN":
        if (condition.candidates.length > IN_OPERANDS) {
          throw this.#invalid(
            `The IN operator is provided with too many operands; number of operands: ${condition.candidates.length}`,
          );
        }
        this.#assertApart("IN", condition.operand, condition.candidates);
        return;
      case "function":
        this.#assertFunction(condition);
    }
  }

  #assertComparison({ comparator, left, right }: Comparison): void {
    this.#assertApart(comparator, left, [right]);
    if (comparator === "=" || comparator === "<>") return;
    this.#assertType(comparator, left, ORDERED);
    this.#assertType(comparator, right, ORDERED);
  }

  #assertBetween({ operand, low, high }: Between): void {
    this.#assertApart("BETWEEN", operand, [low, high]);
    for (const one of [operand, low, high]) this.#assertType("BETWEEN", one, ORDERED);
    const [from, to] = [this.#literal(low), this.#literal(high)];
    if (!from || !to) return;
    const order = compareValues(from, to);
    if (order === undefined) {
      throw this.#invalid("The BETWEEN operator requires same data type for lower and upper bounds");
    }
    if (order > 0) {
      throw this.#invalid(
        "The BETWEEN operator requires upper bound to be greater than or equal to lower bound",
      );
    }
  }

  #assertFunction({ name, operands: [first, second] }: FunctionCall): void {
    if (name === "contains") this.#assertApart(name, first, [second as Operand]);
    if (name === "begins_with") {
      this.#assertApart(name, first, [second as Operand]);
      this.#assertType(name, first, PREFIXED);
      this.#assertType(name, second, PREFIXED);
    }
    if (name === "attribute_type") {
      const type = this.#literal(second);
      if (!type || !("S" in type)) {
        throw this.#invalid(
          "Incorrect operand type for operator or function; operator or function: attribute_type",
        );
      }
      if (!(TYPES as readonly string[]).includes(type.S)) {
        throw this.#invalid(`Invalid attribute type name found; type: ${type.S}`);
      }
    }
  }

  #assertApart(operator: string, first: Operand | undefined, others: readonly Operand[]): void {
    if (first?.kind !== "path") return;
    const placeholders = this.#placeholders;
    if (others.some((other) => other.kind === "path" && placeholders.isSamePath(first.path, other.path))) {
      throw this.#invalid(
        `The first operand must be distinct from the remaining operands for this operator or function; operator: ${operator}, first operand: ${pathText(placeholders.resolve(first.path))}`,
      );
    }
  }

  #assertType(operator: string, operand: Operand | undefined, types: readonly Type[]): void {
    const value = this.#literal(operand);
    if (value && !types.includes(typeOf(value))) {
      throw this.#invalid(
        `Incorrect operand type for operator or function; operator or function: ${operator}, operand type: ${typeOf(value)}`,
      );
    }
  }

  #literal(operand: Operand | undefined): Value | undefined {
    return operand?.kind === "value" ? this.#placeholders.value(operand.value) : undefined;
  }

  #invalid(rule: string): ValidationException {
    return new ValidationException(`Invalid ${this.#kind}: ${rule}`);
  }
}
