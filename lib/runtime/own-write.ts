import { isDeepStrictEqual } from "node:util";
import type { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import type { Update } from "#runtime/update-expression";

/**
 * The item that a conditional update left, if the update was refused by what it had itself written: the SDK repeats a
 * request whose response was lost. The request must ask for the item (`ReturnValuesOnConditionCheckFailure`). An update
 * that counts cannot be recognised by what it left.
 */
export function ownWrite(
  { Item, $metadata }: ConditionalCheckFailedException,
  { set = {}, remove = [], assign }: Pick<Update, "set" | "remove" | "assign">,
): Record<string, unknown> | undefined {
  if (!Item || assign || ($metadata.attempts ?? 1) === 1) return undefined;
  const item = unmarshall(Item);
  const isOurs =
    Object.entries(set).every(([name, value]) => isDeepStrictEqual(item[name], value)) &&
    remove.every((name) => !(name in item));
  return isOurs ? item : undefined;
}
