import { NotSimulated, ValidationException } from "./errors.ts";
import type { Parsed } from "./expression-reader.ts";

export const CHECK_MEMBERS = [
  "TableName",
  "Key",
  "ConditionExpression",
  "ExpressionAttributeNames",
  "ExpressionAttributeValues",
  "ReturnValuesOnConditionCheckFailure",
];
export const UPDATE_MEMBERS = [...CHECK_MEMBERS, "UpdateExpression"];
export const PUT_MEMBERS = [...CHECK_MEMBERS.filter((member) => member !== "Key"), "Item"];
export const QUERY_MEMBERS = [
  "TableName",
  "IndexName",
  "KeyConditionExpression",
  "FilterExpression",
  "ProjectionExpression",
  "ExpressionAttributeNames",
  "ExpressionAttributeValues",
  "ConsistentRead",
  "ScanIndexForward",
  "ExclusiveStartKey",
  "Limit",
];

/** @throws NotSimulated when a request has a member that the simulation would ignore */
export function assertMembers(input: object, ...members: readonly string[]): void {
  for (const [member, value] of Object.entries(input)) {
    if (value !== undefined && !members.includes(member)) {
      throw new NotSimulated(`The parameter ${member} is not simulated.`);
    }
  }
}

export function assertReturnValues(given: string | undefined, ...allowed: readonly string[]): void {
  if (given !== undefined && !allowed.includes(given)) {
    throw new ValidationException("Return values set to invalid value");
  }
}

export function required(member: string): ValidationException {
  return new ValidationException(
    `Value null at '${member}' failed to satisfy constraint: Member must not be null`,
  );
}

export function optional<Root>(
  text: string | undefined,
  parse: (text: string) => Parsed<Root>,
): Parsed<Root> | undefined {
  return text === undefined ? undefined : parse(text);
}
