import type { ReceivedMessage } from "../sqs/direct-queues.ts";
import type { MessageAttributes } from "../sqs/message-attributes.ts";
import { REGION } from "../template.ts";

/** A message in the form that Lambda passes to functions. */
export function toQueueRecord(message: ReceivedMessage, queueArn: string) {
  return {
    messageId: message.MessageId,
    receiptHandle: message.ReceiptHandle ?? "",
    body: message.Body,
    attributes: message.Attributes ?? {},
    messageAttributes: Object.fromEntries(
      Object.entries(message.MessageAttributes ?? {}).map(([name, value]) => [name, attribute(value)]),
    ),
    md5OfBody: message.MD5OfBody,
    eventSource: "aws:sqs",
    eventSourceARN: queueArn,
    awsRegion: REGION,
  };
}

/** A message as filter patterns see it: a JSON body is parsed. */
export function filterable(message: ReceivedMessage): unknown {
  const plain = toQueueRecord(message, "");
  try {
    return { ...plain, body: JSON.parse(plain.body) };
  } catch {
    return plain;
  }
}

function attribute({ StringValue, BinaryValue, DataType }: MessageAttributes[string]) {
  return {
    stringValue: StringValue,
    binaryValue: BinaryValue,
    stringListValues: [],
    binaryListValues: [],
    dataType: DataType,
  };
}
