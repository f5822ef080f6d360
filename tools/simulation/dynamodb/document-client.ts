import {
  BatchWriteCommand,
  DeleteCommand,
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  TransactWriteCommand,
  UpdateCommand,
} from "@aws-sdk/lib-dynamodb";
import { marshall, type marshallOptions, unmarshall } from "@aws-sdk/util-dynamodb";

/** Handles a request with its values as DynamoDB's protocol has them: a table, or what stands before one. */
type Handler = (target: string, input: object) => object | Promise<object>;

const OPERATIONS = new Map<unknown, string>([
  [GetCommand, "GetItem"],
  [PutCommand, "PutItem"],
  [UpdateCommand, "UpdateItem"],
  [DeleteCommand, "DeleteItem"],
  [QueryCommand, "Query"],
  [TransactWriteCommand, "TransactWriteItems"],
  [BatchWriteCommand, "BatchWriteItem"],
]);

/** The members whose values the document client translates, in requests and in responses. */
const TRANSLATED = ["Key", "Item", "ExpressionAttributeValues", "ExclusiveStartKey"];
const RETURNED = ["Item", "Attributes", "LastEvaluatedKey"];

/**
 * A document client that sends its requests to a handler, without the SDK's middleware: nothing is serialised,
 * signed or retried. The SDK's paginators take it for one of theirs.
 */
export function documentClient(handle: Handler, options: marshallOptions): DynamoDBDocumentClient {
  const send = async (command: { readonly input: object }) => {
    const operation = OPERATIONS.get(command.constructor);
    if (operation === undefined) throw new Error(`${command.constructor.name} is not simulated.`);
    return { $metadata: {}, ...translated(await handle(operation, marshalled(command.input, options))) };
  };
  const client: object = Object.create(DynamoDBDocumentClient.prototype);
  return Object.assign(client, { send, destroy() {} }) as unknown as DynamoDBDocumentClient;
}

function marshalled(input: object, options: marshallOptions): object {
  const request: Record<string, unknown> = { ...input };
  for (const member of TRANSLATED) {
    if (request[member] !== undefined) request[member] = marshall(request[member], options);
  }
  const actions = (list: readonly object[]) =>
    list.map((action) =>
      Object.fromEntries(Object.entries(action).map(([kind, one]) => [kind, marshalled(one, options)])),
    );
  if (Array.isArray(request["TransactItems"])) request["TransactItems"] = actions(request["TransactItems"]);
  const { RequestItems } = request as { readonly RequestItems?: Readonly<Record<string, readonly object[]>> };
  if (RequestItems) {
    request["RequestItems"] = Object.fromEntries(
      Object.entries(RequestItems).map(([table, requests]) => [table, actions(requests)]),
    );
  }
  return request;
}

function translated(output: object): object {
  const response: Record<string, unknown> = { ...output };
  for (const member of RETURNED) {
    const item = response[member];
    if (item !== undefined) response[member] = unmarshall(item as Parameters<typeof unmarshall>[0]);
  }
  if (Array.isArray(response["Items"])) response["Items"] = response["Items"].map((item) => unmarshall(item));
  return response;
}
