import type { SQSEvent, SQSRecord } from "aws-lambda";
import { afterEach, expect, test, vi } from "vitest";
import { logger } from "#runtime/logger";
import { metrics } from "#runtime/metrics";
import { queueConsumer } from "#runtime/queue-consumer";
import { aLambdaContext } from "../builders/proxy-event.ts";

afterEach(() => void vi.restoreAllMocks());

const event = (...messageIds: string[]): SQSEvent => ({
  Records: messageIds.map((messageId) => ({ messageId, body: messageId }) as SQSRecord),
});

const FAILURE = {
  failure: "message failed",
  idsOf: ({ body }: SQSRecord) => ({ eventId: `evt_${body}` }),
};

test("exactly the queue messages that fail are reported to Lambda, each with a log line and its ids", async () => {
  const error = vi.spyOn(logger, "error").mockReturnValue();
  const outage = new Error("outage");
  const handled: string[] = [];
  const handler = queueConsumer({
    ...FAILURE,
    run: async ({ messageId }) => {
      handled.push(messageId);
      if (messageId !== "2") throw outage;
    },
  });

  await expect(handler(event("1", "2", "3"), aLambdaContext)).resolves.toEqual({
    batchItemFailures: [{ itemIdentifier: "1" }, { itemIdentifier: "3" }],
  });

  expect(handled).toEqual(["1", "2", "3"]);
  expect(error.mock.calls).toEqual([
    ["message failed", { messageId: "1", eventId: "evt_1", cause: outage }],
    ["message failed", { messageId: "3", eventId: "evt_3", cause: outage }],
  ]);
});

test("a hanging queue message does not prevent the handling of others", async () => {
  const slow = Promise.withResolvers<void>();
  const handler = queueConsumer({
    ...FAILURE,
    run: async ({ messageId }) => (messageId === "1" ? slow.promise : slow.resolve()),
  });

  await expect(handler(event("1", "2"), aLambdaContext)).resolves.toEqual({ batchItemFailures: [] });
});

test.each([true, false])("metrics of a batch are written only if there are any: %j", async (stored) => {
  vi.spyOn(metrics, "hasStoredMetrics").mockReturnValue(stored);
  const publish = vi.spyOn(metrics, "publishStoredMetrics").mockReturnThis();
  const handler = queueConsumer({ ...FAILURE, run: async () => {} });

  await handler(event("1"), aLambdaContext);

  expect(publish).toHaveBeenCalledTimes(stored ? 1 : 0);
});
