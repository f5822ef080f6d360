import type * as z from "zod";
import { hasOnlyAllowedCharacters } from "./characters.ts";
import { InvalidMessageContents, InvalidParameterValue, MissingParameter } from "./errors.ts";
import { digestOfBody, type Message } from "./message.ts";
import { digestOfAttributes, sizeOfAttributes } from "./message-attributes.ts";
import type { SendMessageRequest } from "./requests.ts";

/** A message as sent. */
export type OutgoingMessage = Omit<z.output<typeof SendMessageRequest>, "QueueUrl">;

/** The size of a message: its body and attributes, without system attributes. */
export function sizeOf({ MessageBody, MessageAttributes }: OutgoingMessage): number {
  return Buffer.byteLength(MessageBody) + sizeOfAttributes(MessageAttributes);
}

/** @throws MissingParameter InvalidMessageContents InvalidParameterValue if no queue, or not this one, accepts it */
export function requireSendable(message: OutgoingMessage, mostBytes: number): void {
  if (message.MessageBody === "") throw new MissingParameter("MessageBody");
  if (!hasOnlyAllowedCharacters(message.MessageBody)) throw new InvalidMessageContents();
  if (sizeOf(message) > mostBytes) {
    throw new InvalidParameterValue("MessageBody", `Message must be shorter than ${mostBytes} bytes.`);
  }
}

/** The response of SendMessage: the id, and digests with which the sender verifies the message. */
export function sentMessage({ id }: Message, given: OutgoingMessage) {
  const { AWSTraceHeader } = given.MessageSystemAttributes;
  const system = digestOfAttributes(AWSTraceHeader ? { AWSTraceHeader } : {});
  const attributes = digestOfAttributes(given.MessageAttributes);
  return {
    MessageId: id,
    MD5OfMessageBody: digestOfBody(given.MessageBody),
    ...(attributes !== undefined && { MD5OfMessageAttributes: attributes }),
    ...(system !== undefined && { MD5OfMessageSystemAttributes: system }),
  };
}
