import { ConditionalCheckFailedException, TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import type { Context, SQSRecord } from "aws-lambda";
import { expect, test } from "vitest";
import { logger } from "#runtime/logger";
import { operation } from "#runtime/operation";
import { queueConsumer } from "#runtime/queue-consumer";
import { streamConsumer } from "#runtime/stream-consumer";
import { capturedLogs } from "../builders/captured-logs.ts";
import { aLambdaContext, aProxyEvent } from "../builders/proxy-event.ts";

const logs = capturedLogs();

const anOperation = operation(
  { operationId: "listEvents", method: "GET", path: "/v1/events", summary: "", status: 204, errors: [] },
  async () => {},
);
const aStreamConsumer = streamConsumer(async () => void logger.info("event"));
const aQueueConsumer = queueConsumer(async () => void logger.info("message"));

test.each([
  ["an operation", (context: Context) => anOperation(aProxyEvent({}), context)],
  ["a consumer of a stream", (context: Context) => aStreamConsumer({ Records: [] }, context)],
  ["a consumer of a queue", (context: Context) => aQueueConsumer({ Records: [{} as SQSRecord] }, context)],
])("a line of %s has the function's name and request, not what every line has", async (which, invoke) => {
  // The logger keeps the context of the invocation before.
  const awsRequestId = `request to ${which}`;

  await invoke({ ...aLambdaContext, awsRequestId });

  const [line = ""] = logs.lines();
  expect(JSON.parse(line)).toMatchObject({
    function_name: aLambdaContext.functionName,
    function_request_id: awsRequestId,
  });
  expect(line).not.toContain(aLambdaContext.invokedFunctionArn);
  expect(line).not.toContain("memory");
});

test.each([
  ["itself", (cause: unknown) => cause],
  ["as a cause of the cause", (cause: unknown) => new Error("unreadable", { cause })],
])("a line about text that is not JSON does not quote the text: %s", (_where, failureOf) => {
  let thrown: unknown;
  try {
    JSON.parse('{"externalId": ada@example.com}');
  } catch (error) {
    thrown = error;
  }

  logger.error("unreadable", { cause: failureOf(thrown) });

  expect(String(thrown)).toContain("ada@");
  expect(logs.text()).toContain("SyntaxError");
  expect(logs.text()).toContain("logger.test.ts");
  expect(logs.text()).not.toContain("ada@");
});

test("a line about an error has no position in the bundle beside those of its stack in the sources", () => {
  logger.error("failed", { cause: new Error("outer", { cause: new Error("inner") }) });

  expect(JSON.parse(logs.text())).toHaveProperty("cause.cause.stack");
  expect(logs.text()).not.toContain('"location"');
});

const refused = { $metadata: {}, message: "The conditional request failed" };
const Item = { pk: { S: "CANDIDATE#acme#1" }, email: { S: "ada@example.com" } };

test.each([
  ["a write", new ConditionalCheckFailedException({ ...refused, Item })],
  [
    "a transaction",
    new TransactionCanceledException({
      ...refused,
      CancellationReasons: [{ Code: "ConditionalCheckFailed", Item }],
    }),
  ],
])("a line about the refused condition of %s does not have the stored item", (_which, error) => {
  logger.error("refused", { cause: new Error("not written", { cause: error }) });

  expect(logs.text()).toContain(error.name);
  expect(logs.text()).not.toContain("CANDIDATE#");
  expect(logs.text()).not.toContain("ada@");
});
