import type { Message, MessageAttributeValue } from "@aws-sdk/client-sqs";
import { REGION } from "../template.ts";

/** A message in the form that Lambda passes to functions. */
export function toQueueRecord(message: Message, queueArn: string) {
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

/** A message as filter patterns see it: a JSON body is parsed. */
export function filterable(message: Message): unknown {
  const plain = toQueueRecord(message, "");
  try {
    return { ...plain, body: JSON.parse(plain.body) };
  } catch {
    return plain;
  }
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
