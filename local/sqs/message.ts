import { createHash } from "node:crypto";
import * as z from "zod";
import { ACCOUNT } from "../template.ts";
import { chosenAttributes, digestOfAttributes, MessageAttributes } from "./message-attributes.ts";

/** A message of a queue, as stored. Times are in ms since 1970. */
export const Message = z.object({
  id: z.string(),
  /** The order among messages that became visible at the same time. */
  sequence: z.number(),
  body: z.string(),
  attributes: MessageAttributes,
  groupId: z.string().optional(),
  traceHeader: z.string().optional(),
  sentAt: z.number(),
  /** The end of its delay, or of the visibility timeout if it is in flight. */
  visibleAt: z.number(),
  inFlight: z.boolean(),
  receiveCount: z.number(),
  firstReceivedAt: z.number().optional(),
  receivedAt: z.number().optional(),
  /** The handle of the latest receive. */
  receiptHandle: z.string().optional(),
  /** The ARN of the queue from which it was moved after it exhausted its receives. */
  deadLetterSourceArn: z.string().optional(),
});
export type Message = z.infer<typeof Message>;

export function isBefore(left: Message, right: Message): boolean {
  return left.visibleAt === right.visibleAt
    ? left.sequence < right.sequence
    : left.visibleAt < right.visibleAt;
}

/** The attributes that a receive requests. */
interface Wanted {
  readonly systemAttributes: readonly string[];
  readonly attributes: readonly string[];
}

/** A message as ReceiveMessage returns it (Amazon SQS API, "Message"). */
export function receivedMessage(message: Message, wanted: Wanted) {
  const attributes = chosenAttributes(message.attributes, wanted.attributes);
  const system = Object.entries(systemAttributesOf(message)).filter(
    ([name, value]) =>
      value !== undefined &&
      (wanted.systemAttributes.includes("All") || wanted.systemAttributes.includes(name)),
  );
  return {
    MessageId: message.id,
    ReceiptHandle: message.receiptHandle,
    Body: message.body,
    MD5OfBody: digestOfBody(message.body),
    ...(system.length > 0 && { Attributes: Object.fromEntries(system) }),
    ...(Object.keys(attributes).length > 0 && {
      MessageAttributes: attributes,
      MD5OfMessageAttributes: digestOfAttributes(attributes),
    }),
  };
}

export function digestOfBody(body: string): string {
  return createHash("md5").update(body).digest("hex");
}

function systemAttributesOf(message: Message): Record<string, string | undefined> {
  return {
    SenderId: ACCOUNT,
    SentTimestamp: String(message.sentAt),
    ApproximateReceiveCount: String(message.receiveCount),
    ApproximateFirstReceiveTimestamp: message.firstReceivedAt?.toString(),
    MessageGroupId: message.groupId,
    DeadLetterQueueSourceArn: message.deadLetterSourceArn,
    AWSTraceHeader: message.traceHeader,
  };
}
