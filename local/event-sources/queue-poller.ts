import { setTimeout as delay } from "node:timers/promises";
import {
  DeleteMessageBatchCommand,
  type Message,
  type MessageAttributeValue,
  ReceiveMessageCommand,
} from "@aws-sdk/client-sqs";
import { isEndOfChain } from "../lambda/chain.ts";
import type { LocalFunction } from "../lambda/local-function.ts";
import { LocalStackProblem } from "../problem.ts";
import { ACCOUNT, REGION } from "../template.ts";
import { failuresIn } from "./batch-response.ts";
import type { QueueSource } from "./definition.ts";
import type { EventSourcePoller } from "./event-source.ts";
import type { EventSourceServices } from "./services.ts";

/** SQS gives at most 10 messages at a time. */
const MOST_RECEIVED = 10;
/** How long a receive waits for messages, in seconds: also the longest time that a stop waits for it. */
const WAIT_SECONDS = 1;
/** Before a receive that follows a failed one, in ms. */
const FAULT_MS = 1_000;

/** Receives from a queue and hands the messages to a function; deletes what was done, leaves what failed. */
export function startQueuePoller(
  source: QueueSource,
  target: LocalFunction,
  services: EventSourceServices,
): EventSourcePoller {
  const stopping = new AbortController();
  const queueUrl = `${services.queuesUrl}/${ACCOUNT}/${source.queueArn.split(":").at(-1)}`;

  async function poll(): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        const messages = await gather();
        if (messages.length > 0) await deliver(messages);
      } catch (error) {
        if (stopping.signal.aborted) return;
        services.onFault(error);
        await delay(FAULT_MS, undefined, { signal: stopping.signal }).catch(() => {});
      }
    }
  }

  /** A batch: what one receive gives, or more for as long as the batching window is open. */
  async function gather(): Promise<Message[]> {
    const messages: Message[] = [];
    let windowEnds = Number.POSITIVE_INFINITY;
    while (!stopping.signal.aborted && messages.length < source.batchSize && Date.now() < windowEnds) {
      const { Messages = [] } = await services.sqs.send(
        new ReceiveMessageCommand({
          QueueUrl: queueUrl,
          MaxNumberOfMessages: Math.min(MOST_RECEIVED, source.batchSize - messages.length),
          WaitTimeSeconds: WAIT_SECONDS,
          MessageSystemAttributeNames: ["All"],
          MessageAttributeNames: ["All"],
        }),
      );
      if (messages.length === 0) windowEnds = Date.now() + source.batchingWindowSeconds * 1000;
      messages.push(...Messages);
    }
    return messages;
  }

  async function deliver(messages: readonly Message[]): Promise<void> {
    const matching = messages.filter((message) => source.filter(filterable(message)));
    const done = messages.filter((message) => !matching.includes(message));
    const wanted = matching.filter((message) => !isStopped(message));
    if (wanted.length < matching.length) {
      services.onFault(
        new LocalStackProblem(
          `${target.definition.name} sends to what invokes it: after 16 rounds its message stays in the queue, as Lambda's recursive loop detection would have it. Set recursiveLoop to RecursiveLoop.ALLOW where that is meant.`,
        ),
      );
    }
    if (wanted.length > 0) {
      const Records = wanted.map((message) => record(message, source.queueArn));
      const causes = wanted.flatMap(({ Attributes }) => Attributes?.["AWSTraceHeader"] ?? []);
      const result = await target.invoke(JSON.stringify({ Records }), { causes });
      const failed = failuresIn(
        result,
        Records.map(({ messageId }) => messageId),
        source.reportsItemFailures,
      );
      if (failed !== "all") done.push(...wanted.filter(({ MessageId = "" }) => !failed.has(MessageId)));
    }
    await remove(done);
  }

  function isStopped({ Attributes }: Message): boolean {
    const { arn, allowsRecursion } = target.definition;
    return !allowsRecursion && isEndOfChain(arn, Attributes?.["AWSTraceHeader"]);
  }

  async function remove(messages: readonly Message[]): Promise<void> {
    for (let start = 0; start < messages.length; start += MOST_RECEIVED) {
      await services.sqs.send(
        new DeleteMessageBatchCommand({
          QueueUrl: queueUrl,
          Entries: messages.slice(start, start + MOST_RECEIVED).map(({ ReceiptHandle }, index) => ({
            Id: String(index),
            ReceiptHandle,
          })),
        }),
      );
    }
  }

  const pollers = Array.from({ length: source.maximumConcurrency }, poll);
  return {
    async stop() {
      stopping.abort();
      await Promise.all(pollers);
    },
  };
}

/** A message in the form in which Lambda hands it over. */
function record(message: Message, queueArn: string) {
  return {
    messageId: message.MessageId ?? "",
    receiptHandle: message.ReceiptHandle ?? "",
    body: message.Body ?? "",
    attributes: message.Attributes ?? {},
    messageAttributes: Object.fromEntries(
      Object.entries(message.MessageAttributes ?? {}).map(([name, value]) => [name, attribute(value)]),
    ),
    md5OfBody: message.MD5OfBody ?? "",
    eventSource: "aws:sqs",
    eventSourceARN: queueArn,
    awsRegion: REGION,
  };
}

function attribute({ StringValue, BinaryValue, DataType }: MessageAttributeValue) {
  return {
    stringValue: StringValue,
    binaryValue: BinaryValue && Buffer.from(BinaryValue).toString("base64"),
    stringListValues: [],
    binaryListValues: [],
    dataType: DataType,
  };
}

/** Filter patterns look into a body that is JSON. */
function filterable(message: Message): unknown {
  const plain = record(message, "");
  try {
    return { ...plain, body: JSON.parse(plain.body) };
  } catch {
    return plain;
  }
}
