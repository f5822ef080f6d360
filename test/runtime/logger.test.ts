import { expect, test } from "vitest";
import { logger } from "#runtime/logger";
import { streamConsumer } from "#runtime/stream-consumer";
import { capturedLogs } from "../builders/captured-logs.ts";
import { aLambdaContext } from "../builders/proxy-event.ts";

const logs = capturedLogs();

test("a line has the function's name and the request, and not what is the same in every line", async () => {
  const handler = streamConsumer(async () => {
    logger.info("event");
    return undefined;
  });

  await handler({ Records: [] }, aLambdaContext);

  const [line = ""] = logs.lines();
  expect(JSON.parse(line)).toMatchObject({
    function_name: aLambdaContext.functionName,
    function_request_id: aLambdaContext.awsRequestId,
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
