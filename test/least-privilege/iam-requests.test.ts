import { expect, test } from "vitest";
import { iamRequestsOf } from "./iam-requests.ts";

const ARN = "arn:aws:dynamodb:us-east-1:000000000000:table/T";
const candidate = { pk: { S: "CANDIDATE#acme#0" }, sk: { S: "RECORD" } };
const endpoint = { pk: { S: "ENDPOINTS#acme" }, sk: { S: "ENDPOINT#whe_1" } };

function dynamodb(operation: string, input: unknown) {
  return iamRequestsOf({
    service: "dynamodb",
    target: `DynamoDB_20120810.${operation}`,
    body: JSON.stringify(input),
  });
}

test.each([
  ["GetItem", { Key: candidate }],
  ["UpdateItem", { Key: candidate, UpdateExpression: "SET a = :a", ReturnValues: "ALL_NEW" }],
  ["DeleteItem", { Key: candidate }],
  ["PutItem", { Item: { ...candidate, externalId: { S: "1" } } }],
])("%s requires its action on the table for the kind of item", (operation, input) => {
  expect(dynamodb(operation, { TableName: "T", ...input })).toEqual([
    { action: `dynamodb:${operation}`, resource: ARN, leadingKeys: ["CANDIDATE#…"] },
  ]);
});

test("A read with a projection requires permission for its attributes and the key's", () => {
  const projected = {
    TableName: "T",
    Key: candidate,
    ProjectionExpression: "#status, externalId",
    ExpressionAttributeNames: { "#status": "status" },
  };
  expect(dynamodb("GetItem", projected)).toMatchObject([
    { attributes: ["pk", "sk", "status", "externalId"] },
  ]);
});

test("An update that returns nothing requires permission for the attributes that it names and the key's", () => {
  const update = {
    TableName: "T",
    Key: endpoint,
    UpdateExpression: "SET #usedAt = :usedAt, total = if_not_exists(total, :none) REMOVE #id",
    ConditionExpression: "attribute_exists(pk) AND (attribute_not_exists(#usedAt) OR #usedAt <= :anHourAgo)",
    ExpressionAttributeNames: { "#usedAt": "lastUsedAt", "#id": `whe_${"0".repeat(26)}` },
  };
  expect(dynamodb("UpdateItem", update)).toMatchObject([
    { attributes: ["pk", "sk", "lastUsedAt", "total", "whe_…"] },
  ]);
});

test("A query requires permission on the table, or on the index it names", () => {
  const query = {
    TableName: "T",
    KeyConditionExpression: "pk = :pk AND begins_with(sk, :sk)",
    ExpressionAttributeValues: { ":sk": { S: "ENDPOINT#" }, ":pk": { S: "ENDPOINTS#acme" } },
  };
  const byName = {
    TableName: "T",
    IndexName: "byName",
    KeyConditionExpression: "#name = :name",
    ExpressionAttributeValues: { ":name": { S: "acme" } },
  };
  expect([...dynamodb("Query", query), ...dynamodb("Query", byName)]).toEqual([
    { action: "dynamodb:Query", resource: ARN, leadingKeys: ["ENDPOINTS#…"] },
    { action: "dynamodb:Query", resource: `${ARN}/index/byName`, leadingKeys: ["acme"] },
  ]);
});

test("A transaction requires for each of its items that item's own action", () => {
  const TableName = "T";
  expect(
    dynamodb("TransactWriteItems", {
      TransactItems: [
        { Put: { TableName, Item: candidate } },
        { Update: { TableName, Key: endpoint } },
        { Delete: { TableName, Key: endpoint } },
        { ConditionCheck: { TableName, Key: candidate } },
      ],
    }).map(({ action, leadingKeys }) => [action, leadingKeys]),
  ).toEqual([
    ["dynamodb:PutItem", ["CANDIDATE#…"]],
    ["dynamodb:UpdateItem", ["ENDPOINTS#…"]],
    ["dynamodb:DeleteItem", ["ENDPOINTS#…"]],
    ["dynamodb:ConditionCheckItem", ["CANDIDATE#…"]],
  ]);
});

test("A batch requires the batch's action for the kinds of all its items", () => {
  const leadingKeys = ["CANDIDATE#…", "ENDPOINTS#…"];
  expect([
    ...dynamodb("BatchGetItem", { RequestItems: { T: { Keys: [endpoint, candidate, candidate] } } }),
    ...dynamodb("BatchWriteItem", {
      RequestItems: { T: [{ PutRequest: { Item: candidate } }, { DeleteRequest: { Key: endpoint } }] },
    }),
  ]).toEqual([
    { action: "dynamodb:BatchGetItem", resource: ARN, leadingKeys },
    { action: "dynamodb:BatchWriteItem", resource: ARN, leadingKeys },
  ]);
});

test.each([
  ["GetShardIterator", { StreamArn: "arn:aws:dynamodb:ddblocal:000000000000:table/T/stream/2026-01-01" }],
  ["GetRecords", { ShardIterator: "000|arn:aws:dynamodb:ddblocal:000000000000:table/T/stream/2026-01-01|1" }],
])("%s requires permission on the stream", (operation, input) => {
  const target = `DynamoDBStreams_20120810.${operation}`;
  expect(iamRequestsOf({ service: "dynamodb", target, body: JSON.stringify(input) })).toEqual([
    { action: `dynamodb:${operation}`, resource: `${ARN}/stream/local` },
  ]);
});

test.each(["SendMessage", "SendMessageBatch"])("%s requires sqs:SendMessage on the queue", (operation) => {
  const body = JSON.stringify({ QueueUrl: "http://127.0.0.1:4566/000000000000/Q" });
  expect(iamRequestsOf({ service: "sqs", target: `AmazonSQS.${operation}`, body })).toEqual([
    { action: "sqs:SendMessage", resource: "arn:aws:sqs:us-east-1:000000000000:Q" },
  ]);
});

test("A call to Secrets Manager requires permission on the secret", () => {
  const SecretId = "arn:aws:secretsmanager:us-east-1:000000000000:secret:S-local0";
  const call = {
    service: "secretsmanager",
    target: "secretsmanager.GetSecretValue",
    body: JSON.stringify({ SecretId }),
  };
  expect(iamRequestsOf(call)).toEqual([{ action: "secretsmanager:GetSecretValue", resource: SecretId }]);
});

test.each([
  ["a service", "s3", "GET /bucket/key", "", "s3:GET /bucket/key"],
  ["an operation", "dynamodb", "DynamoDB_20120810.Scan", "{}", "dynamodb:Scan"],
  ["an input", "dynamodb", "DynamoDB_20120810.GetItem", '{"TableName":"T"}', "dynamodb:GetItem"],
])("A request with %s unknown to the audit is still reported", (_what, service, target, body, action) => {
  expect(iamRequestsOf({ service, target, body })).toEqual([
    { action, resource: expect.stringContaining("iam-requests.ts") },
  ]);
});
