import * as z from "zod";
import type { AwsCall } from "../../local/lambda/aws-calls.ts";
import { ACCOUNT, REGION } from "../../local/template.ts";

/** What IAM is asked when a call arrives. */
export interface IamRequest {
  /** As `dynamodb:PutItem`. */
  readonly action: string;
  /** An ARN, or `*` for an action that has no resource. */
  readonly resource: string;
  /** The kinds of the items that DynamoDB is asked for: their partition keys up to the first `#`, as `KEY#…`. */
  readonly leadingKeys?: readonly string[];
  /** The attributes that a read returns, or that an update names, when it does not return all. */
  readonly attributes?: readonly string[];
}

/** In place of a resource, when a call is of a kind that this file cannot read: no role allows it. */
const UNREADABLE = "unreadable: teach test/least-privilege/iam-requests.ts";

/** The requests that a call is for IAM: one, or for a transaction one per item. */
export function iamRequestsOf({ service, target, body }: AwsCall): IamRequest[] {
  const [api = "", operation = ""] = target.split(".");
  try {
    const requests = readers[api]?.(operation, JSON.parse(body));
    if (requests) return requests;
  } catch {
    // Told below, to the test's reader rather than to the thread that made the call.
  }
  return [{ action: `${service}:${operation || target}`, resource: UNREADABLE }];
}

type Reader = (operation: string, input: unknown) => IamRequest[] | undefined;

const readers: Readonly<Record<string, Reader>> = {
  DynamoDB_20120810: (operation, input) => itemRequests[operation]?.(input),
  DynamoDBStreams_20120810: (operation, input) => {
    const { StreamArn, ShardIterator } = StreamRequest.parse(input);
    // A shard iterator begins with the ARN of its stream, or holds it (DynamoDB Streams API, GetRecords).
    const [, table] = /:table\/([^/]+)\/stream\//.exec(StreamArn ?? ShardIterator ?? "") ?? [];
    return table
      ? [{ action: `dynamodb:${operation}`, resource: `${tableArn(table)}/stream/local` }]
      : undefined;
  },
  AmazonSQS: (operation, input) => {
    const [, account, queue] = new URL(QueueRequest.parse(input).QueueUrl).pathname.split("/");
    // A batch needs the permission of the single call (Amazon SQS API permissions).
    const action = `sqs:${operation.replace(/Batch$/, "")}`;
    return [{ action, resource: `arn:aws:sqs:${REGION}:${account}:${queue}` }];
  },
  secretsmanager: (operation, input) => [
    { action: `secretsmanager:${operation}`, resource: SecretRequest.parse(input).SecretId },
  ],
};

const Key = z.object({ pk: z.object({ S: z.string() }) });
const ItemRequest = z.object({ TableName: z.string(), Key: Key.optional(), Item: Key.optional() });
const Projection = z.object({
  Key: z.record(z.string(), z.unknown()),
  ProjectionExpression: z.string().optional(),
  ExpressionAttributeNames: z.record(z.string(), z.string()).optional(),
});
const Change = z.object({
  Key: z.record(z.string(), z.unknown()),
  UpdateExpression: z.string().default(""),
  ConditionExpression: z.string().default(""),
  ExpressionAttributeNames: z.record(z.string(), z.string()).default({}),
  ReturnValues: z.string().default("NONE"),
  ReturnValuesOnConditionCheckFailure: z.string().default("NONE"),
});
const QueryRequest = z.object({
  TableName: z.string(),
  IndexName: z.string().optional(),
  KeyConditionExpression: z.string(),
  ExpressionAttributeValues: z.record(z.string(), z.object({ S: z.string() })),
});
const TransactionRequest = z.object({ TransactItems: z.array(z.record(z.string(), ItemRequest)) });
const BatchGetRequest = z.object({ RequestItems: z.record(z.string(), z.object({ Keys: z.array(Key) })) });
const BatchWriteRequest = z.object({
  RequestItems: z.record(
    z.string(),
    z.array(
      z.object({
        PutRequest: z.object({ Item: Key }).optional(),
        DeleteRequest: z.object({ Key }).optional(),
      }),
    ),
  ),
});
const StreamRequest = z.object({ StreamArn: z.string().optional(), ShardIterator: z.string().optional() });
const QueueRequest = z.object({ QueueUrl: z.url() });
const SecretRequest = z.object({ SecretId: z.string() });

/** By operation of DynamoDB. A transaction is allowed item by item (DynamoDB transactions, IAM). */
const itemRequests: Readonly<Record<string, (input: unknown) => IamRequest[]>> = {
  GetItem: (input) => [{ ...onItem("GetItem", input), ...projectionOf(input) }],
  PutItem: (input) => [onItem("PutItem", input)],
  UpdateItem: (input) => [{ ...onItem("UpdateItem", input), ...changeOf(input) }],
  DeleteItem: (input) => [onItem("DeleteItem", input)],
  Query: (input) => {
    const { TableName, IndexName, KeyConditionExpression, ExpressionAttributeValues } =
      QueryRequest.parse(input);
    // The partition key is compared by `=`, and written before the sort key.
    const [, name = ""] = /=\s*(:\w+)/.exec(KeyConditionExpression) ?? [];
    const request = onItems("Query", TableName, [ExpressionAttributeValues[name]?.S]);
    return [IndexName ? { ...request, resource: `${request.resource}/index/${IndexName}` } : request];
  },
  TransactGetItems: (input) => transaction(input),
  TransactWriteItems: (input) => transaction(input),
  BatchGetItem: (input) =>
    Object.entries(BatchGetRequest.parse(input).RequestItems).map(([table, { Keys }]) =>
      onItems(
        "BatchGetItem",
        table,
        Keys.map(({ pk }) => pk.S),
      ),
    ),
  BatchWriteItem: (input) =>
    Object.entries(BatchWriteRequest.parse(input).RequestItems).map(([table, writes]) =>
      onItems(
        "BatchWriteItem",
        table,
        writes.map(({ PutRequest, DeleteRequest }) => (PutRequest?.Item ?? DeleteRequest?.Key)?.pk.S),
      ),
    ),
};

function transaction(input: unknown): IamRequest[] {
  return TransactionRequest.parse(input)
    .TransactItems.flatMap((item) => Object.entries(item))
    .map(([part, request]) => onItem(`${part}Item`, request));
}

function onItem(operation: string, input: unknown): IamRequest {
  const { TableName, Key, Item } = ItemRequest.parse(input);
  return onItems(operation, TableName, [(Key ?? Item)?.pk.S]);
}

/** What `dynamodb:Attributes` is of a read: the attributes of its projection and the key's. */
function projectionOf(input: unknown): Pick<IamRequest, "attributes"> {
  const { Key, ProjectionExpression, ExpressionAttributeNames = {} } = Projection.parse(input);
  if (ProjectionExpression === undefined) return {};
  const names = ProjectionExpression.split(",").map((name) => name.trim());
  return {
    attributes: [...Object.keys(Key), ...names.map((name) => ExpressionAttributeNames[name] ?? name)],
  };
}

/**
 * A name in an expression, by itself or as `#name`. A value begins with a colon, and a function ends with a bracket.
 */
const NAME = /#\w+|(?<![:#\w])[a-z]\w*(?![\w(])/g;

/** What `dynamodb:Attributes` is of an update: the attributes in its expressions and the key's. Ids are cut off. */
function changeOf(input: unknown): Pick<IamRequest, "attributes"> {
  const { Key, UpdateExpression, ConditionExpression, ExpressionAttributeNames, ...returned } =
    Change.parse(input);
  const { ReturnValues, ReturnValuesOnConditionCheckFailure } = returned;
  if (ReturnValues !== "NONE" || ReturnValuesOnConditionCheckFailure !== "NONE") return {};
  const names = `${UpdateExpression} ${ConditionExpression}`.match(NAME) ?? [];
  const attributes = names.map((name) => (ExpressionAttributeNames[name] ?? name).replace(/_.{26}$/, "_…"));
  return { attributes: [...new Set([...Object.keys(Key), ...attributes])] };
}

/** @throws Error when a key is missing: a condition on keys lets a request without any pass */
function onItems(operation: string, table: string, keys: readonly (string | undefined)[]): IamRequest {
  const kinds = keys.map((key) => {
    if (key === undefined) throw new Error("A request without its partition key.");
    return key.replace(/#.*/s, "#…");
  });
  return {
    action: `dynamodb:${operation}`,
    resource: tableArn(table),
    leadingKeys: [...new Set(kinds)].sort(),
  };
}

function tableArn(table: string): string {
  return `arn:aws:dynamodb:${REGION}:${ACCOUNT}:table/${table}`;
}
