import type {
  DeleteItemCommandInput,
  PutItemCommandInput,
  UpdateItemCommandInput,
} from "@aws-sdk/client-dynamodb";
import { attributeOf, type Item, sizeOf, storedItem } from "./attribute-value.ts";
import { parseCondition } from "./condition-expression.ts";
import { holds } from "./condition-result.ts";
import { assertOperands } from "./condition-rules.ts";
import { ValidationException } from "./errors.ts";
import type { Parsed } from "./expression-reader.ts";
import type { Key } from "./item-store.ts";
import { Placeholders } from "./placeholders.ts";
import { optional } from "./request-parameters.ts";
import { attributesOf, type TableSchema } from "./table-schema.ts";
import { parseUpdate } from "./update-expression.ts";
import { updated, updatedAttributes } from "./update-result.ts";
import { assertUpdate } from "./update-rules.ts";

/** 400 KB per item (Amazon DynamoDB quotas). */
const ITEM_BYTES = 400 * 1024;

/** A write that is valid, whatever the table contains. */
export interface PlannedWrite {
  readonly key: Key;
  readonly returnsFailed: boolean;
  /** @throws ValidationException when no table would store it */
  assertStorable(): void;
  isAllowed(item: Item | undefined): boolean;
  /** @throws ValidationException when the write does not fit the item */
  after(item: Item | undefined): Item | undefined;
}

export function planPut(input: Omit<PutItemCommandInput, "ReturnValues">, schema: TableSchema): PlannedWrite {
  schema.assertName(input.TableName);
  const item = storedItem(input.Item ?? {});
  for (const name of schema.keyNames) {
    if (attributeOf(item, name)) continue;
    throw new ValidationException(
      `One or more parameter values were invalid: Missing the key ${name} in the item`,
    );
  }
  const key = schema.keyOf(attributesOf(item, schema.keyNames));
  return {
    ...conditionOf(input),
    key,
    assertStorable: () => {
      schema.assertIndexKeys(item);
      assertSize(item, "Item size has exceeded the maximum allowed size");
    },
    after: () => item,
  };
}

export function planUpdate(
  input: Omit<UpdateItemCommandInput, "ReturnValues">,
  schema: TableSchema,
): PlannedWrite & { readonly names: string[]; readonly isWithin: boolean } {
  schema.assertName(input.TableName);
  const keyItem = storedItem(input.Key ?? {});
  const key = schema.keyOf(keyItem);
  const update = optional(input.UpdateExpression, parseUpdate);
  const { placeholders, ...condition } = conditionOf(input, update);
  if (update) assertUpdate(update, placeholders, schema.keyNames);
  return {
    ...condition,
    key,
    names: update ? updatedAttributes(update.root, placeholders) : [],
    isWithin: update?.root.some(({ path }) => path.length > 1) ?? false,
    assertStorable: () => {},
    after: (before) => {
      const item = before ?? keyItem;
      if (!update) return item;
      const after = updated(item, update.root, placeholders);
      schema.assertIndexKeys(after);
      assertSize(after, "Item size to update has exceeded the maximum allowed size");
      return after;
    },
  };
}

export function planDelete(
  input: Omit<DeleteItemCommandInput, "ReturnValues">,
  schema: TableSchema,
): PlannedWrite {
  return { ...planCheck(input, schema), after: () => undefined };
}

export function planCheck(
  input: Omit<DeleteItemCommandInput, "ReturnValues">,
  schema: TableSchema,
): PlannedWrite {
  schema.assertName(input.TableName);
  return {
    key: schema.key(input.Key),
    ...conditionOf(input),
    assertStorable: () => {},
    after: (before) => before,
  };
}

function conditionOf(
  input: Omit<DeleteItemCommandInput, "ReturnValues" | "Key">,
  ...others: readonly (Parsed<unknown> | undefined)[]
): Pick<PlannedWrite, "isAllowed" | "returnsFailed"> & { readonly placeholders: Placeholders } {
  const { ReturnValuesOnConditionCheckFailure: returns = "NONE" } = input;
  if (returns !== "NONE" && returns !== "ALL_OLD") {
    throw new ValidationException(
      `Value '${returns}' at 'returnValuesOnConditionCheckFailure' failed to satisfy constraint: Member must satisfy enum value set: [ALL_OLD, NONE]`,
    );
  }
  const condition = optional(input.ConditionExpression, parseCondition);
  const placeholders = new Placeholders(input, [condition, ...others]);
  if (condition) assertOperands(condition, placeholders);
  return {
    placeholders,
    returnsFailed: returns === "ALL_OLD",
    isAllowed: (item) => !condition || holds(condition.root, item ?? {}, placeholders),
  };
}

function assertSize(item: Item, message: string): void {
  if (sizeOf(item) > ITEM_BYTES) throw new ValidationException(message);
}
