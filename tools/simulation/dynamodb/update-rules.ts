import { type Type, typeOf } from "./attribute-value.ts";
import { ValidationException } from "./errors.ts";
import type { Parsed } from "./expression-reader.ts";
import { assertDistinctPaths, type Placeholders } from "./placeholders.ts";
import type { Operand, Update } from "./update-expression.ts";

const SETS = ["SS", "NS", "BS"] as const;
const ADDED = ["N", ...SETS] as const;

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
