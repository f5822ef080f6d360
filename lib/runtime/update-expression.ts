import type { UpdateCommandInput } from "@aws-sdk/lib-dynamodb";

/** An update in parts: `set` maps attributes to values, `assign` to operands, and `add` to numbers that are added. */
export interface Update {
  readonly set?: Readonly<Record<string, unknown>>;
  /** Operands that read the item. They and the conditions may refer to attributes as `#name`. */
  readonly assign?: Readonly<Record<string, string>>;
  readonly remove?: readonly string[];
  readonly add?: Readonly<Record<string, number>>;
  /** All must hold. One with OR is in brackets. */
  readonly conditions: readonly string[];
  /** The values that operands and conditions refer to as `:name`. */
  readonly values?: Readonly<Record<string, unknown>>;
}

/** The update in DynamoDB's form. */
export function updateExpression({
  set = {},
  assign = {},
  remove = [],
  add = {},
  conditions,
  values = {},
}: Update): { readonly UpdateExpression: string } & Pick<
  UpdateCommandInput,
  "ConditionExpression" | "ExpressionAttributeNames" | "ExpressionAttributeValues"
> {
  const assignments = [
    ...Object.keys(set).map((attribute) => `#${attribute} = :${attribute}`),
    ...Object.entries(assign).map(([attribute, operand]) => `#${attribute} = ${operand}`),
  ];
  const additions = Object.keys(add).map((attribute) => `#${attribute} :${attribute}`);
  const clauses = [
    ...(assignments.length > 0 ? [`SET ${assignments.join(", ")}`] : []),
    ...(remove.length > 0 ? [`REMOVE ${remove.map((attribute) => `#${attribute}`).join(", ")}`] : []),
    ...(additions.length > 0 ? [`ADD ${additions.join(", ")}`] : []),
  ];
  const UpdateExpression = clauses.join(" ");
  const ConditionExpression = conditions.join(" AND ");
  const named = `${UpdateExpression} ${ConditionExpression}`.matchAll(/#\w+/g);
  const allValues = {
    ...Object.fromEntries(
      Object.entries({ ...set, ...add }).map(([attribute, value]) => [`:${attribute}`, value]),
    ),
    ...values,
  };
  return {
    UpdateExpression,
    ...(conditions.length > 0 && { ConditionExpression }),
    ExpressionAttributeNames: Object.fromEntries([...named].map(([name]) => [name, name.slice(1)])),
    // DynamoDB refuses an empty map.
    ...(Object.keys(allValues).length > 0 && { ExpressionAttributeValues: allValues }),
  };
}
