import type { SQSEvent, SQSRecord } from "aws-lambda";
import { afterEach, expect, test, vi } from "vitest";
import { metrics } from "#runtime/metrics";
import { queueConsumer } from "#runtime/queue-consumer";
import { aLambdaContext } from "../builders/proxy-event.ts";

afterEach(() => void vi.restoreAllMocks());

const event = (...messageIds: string[]): SQSEvent => ({
  Records: messageIds.map((messageId) => ({ messageId, body: messageId }) as SQSRecord),
});

test("exactly the queue messages that fail are reported to Lambda", async () => {
  const handled: string[] = [];
  const handler = queueConsumer(async ({ messageId }) => {
    handled.push(messageId);
    if (messageId !== "2") throw new Error("outage");
  });

  await expect(handler(event("1", "2", "3"), aLambdaContext)).resolves.toEqual({
    batchItemFailures: [{ itemIdentifier: "1" }, { itemIdentifier: "3" }],
  });

  expect(handled).toEqual(["1", "2", "3"]);
});

test("a hanging queue message does not prevent the handling of others", async () => {
  const slow = Promise.withResolvers<void>();
  const handler = queueConsumer(async ({ messageId }) => (messageId === "1" ? slow.promise : slow.resolve()));

  await expect(handler(event("1", "2"), aLambdaContext)).resolves.toEqual({ batchItemFailures: [] });
});

test.each([true, false])("metrics of a batch are written only if there are any: %j", async (stored) => {
  vi.spyOn(metrics, "hasStoredMetrics").mockReturnValue(stored);
  const publish = vi.spyOn(metrics, "publishStoredMetrics").mockReturnThis();
  const handler = queueConsumer(async () => {});

  await handler(event("1"), aLambdaContext);

  expect(publish).toHaveBeenCalledTimes(stored ? 1 : 0);
});
