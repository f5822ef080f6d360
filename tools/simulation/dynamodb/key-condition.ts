import { attributeOf, compareText, type Item, type Value } from "./attribute-value.ts";
import type { Comparator, Condition, Operand } from "./condition-expression.ts";
import { ValidationException } from "./errors.ts";
import type { KeyAttributes, SortRange } from "./item-store.ts";
import type { Placeholders } from "./placeholders.ts";

/** What a query asks for: one partition, and a range of its sort keys. */
interface KeyCondition {
  readonly partition: string;
  readonly range: SortRange;
}

/** A condition on one attribute of the key; two values when it is BETWEEN. */
interface Term {
  readonly attribute: string;
  readonly operator: Comparator | "BETWEEN" | "begins_with";
  readonly values: readonly Value[];
}

/** The comparator as it reads with the operands exchanged. */
const MIRRORED: Readonly<Record<Comparator, Comparator>> = {
  "=": "=",
  "<>": "<>",
  "<": ">",
  "<=": ">=",
  ">": "<",
  ">=": "<=",
};

/**
 * What a key condition asks for: equality of the partition key, and at most one condition on the sort key.
 *
 * @throws ValidationException when it is none
 */
export function keyCondition(
  condition: Condition,
  keys: KeyAttributes,
  placeholders: Placeholders,
): KeyCondition {
  const terms = new Map<string, Term>();
  for (const term of termsOf(condition, placeholders)) {
    if (terms.has(term.attribute)) {
      throw new ValidationException("KeyConditionExpressions must only contain one condition per key");
    }
    terms.set(term.attribute, term);
  }
  const [partition, sort] = [terms.get(keys.partition), terms.get(keys.sort)];
  if (!partition || terms.size > (sort ? 2 : 1)) {
    throw new ValidationException(`Query condition missed key schema element: ${keys.partition}`);
  }
  if (partition.operator !== "=" || sort?.operator === "<>") {
    throw new ValidationException("Query key condition not supported");
  }
  const [value] = textsOf(partition);
  return { partition: value as string, range: sort ? rangeOf(sort) : EVERYTHING };
}

function termsOf(condition: Condition, placeholders: Placeholders): Term[] {
  const value = (operand: Operand): Value => {
    if (operand.kind === "value") return placeholders.value(operand.value);
    throw new ValidationException(
      "Invalid condition in KeyConditionExpression: Multiple attribute names used in one condition",
    );
  };
  switch (condition.kind) {
    case "AND":
      return [...termsOf(condition.left, placeholders), ...termsOf(condition.right, placeholders)];
    case "compare": {
      const { comparator, left, right } = condition;
      if (left.kind === "path") {
        return [{ attribute: attribute(left, placeholders), operator: comparator, values: [value(right)] }];
      }
      return [
        { attribute: attribute(right, placeholders), operator: MIRRORED[comparator], values: [value(left)] },
      ];
    }
    case "BETWEEN": {
      const { operand, low, high } = condition;
      const values = [value(low), value(high)];
      return [{ attribute: attribute(operand, placeholders), operator: "BETWEEN", values }];
    }
    case "function": {
      const [path, prefix] = condition.operands;
      if (condition.name !== "begins_with" || !path || !prefix) throw unsupported(condition.name);
      return [{ attribute: attribute(path, placeholders), operator: "begins_with", values: [value(prefix)] }];
    }
    default:
      throw unsupported(condition.kind);
  }
}

function unsupported(operator: string): ValidationException {
  return new ValidationException(`Invalid operator used in KeyConditionExpression: ${operator}`);
}

function attribute(operand: Operand, placeholders: Placeholders): string {
  if (operand.kind !== "path" || operand.path.length > 1) {
    throw new ValidationException(
      "Invalid condition in KeyConditionExpression: a condition compares one attribute of the key with a value",
    );
  }
  return placeholders.name(operand.path[0] as string);
}

function textsOf({ attribute, values }: Term): string[] {
  return values.map((value) =>
    keyText(attribute, value, "Condition parameter type does not match schema type"),
  );
}

/**
 * The text of a key attribute, of which all in the table are.
 *
 * @throws ValidationException when it is of another type, or empty
 */
function keyText(attribute: string, value: Value, mismatch: string): string {
  if (!("S" in value)) {
    throw new ValidationException(`One or more parameter values were invalid: ${mismatch}`);
  }
  if (value.S === "") {
    throw new ValidationException(
      `One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty string value. Key: ${attribute}`,
    );
  }
  return value.S;
}

const EVERYTHING: SortRange = { isBefore: () => false, isAfter: () => false };

function rangeOf(term: Term): SortRange {
  const [text = "", end = text] = textsOf(term);
  switch (term.operator) {
    case "begins_with":
      return {
        isBefore: (sort) => compareText(sort, text) < 0,
        isAfter: (sort) => compareText(sort, text) > 0 && !sort.startsWith(text),
      };
    case "<":
      return { isBefore: () => false, isAfter: (sort) => compareText(sort, text) >= 0 };
    case "<=":
      return { isBefore: () => false, isAfter: (sort) => compareText(sort, text) > 0 };
    case ">":
      return { isBefore: (sort) => compareText(sort, text) <= 0, isAfter: () => false };
    case ">=":
      return { isBefore: (sort) => compareText(sort, text) < 0, isAfter: () => false };
    default:
      return {
        isBefore: (sort) => compareText(sort, text) < 0,
        isAfter: (sort) => compareText(sort, end) > 0,
      };
  }
}

/**
 * The texts of a key: these attributes and no others.
 *
 * @throws ValidationException when there are others, or one is missing, or is no key
 */
export function keyTexts(key: Item, attributes: readonly string[]): string[] {
  const isKey = Object.keys(key).length === attributes.length;
  return attributes.map((attribute) => {
    const value = attributeOf(key, attribute);
    if (!isKey || !value) {
      throw new ValidationException("The provided key element does not match the schema");
    }
    return keyText(attribute, value, `Type mismatch for key ${attribute}`);
  });
}
