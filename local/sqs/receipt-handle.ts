import { ReceiptHandleIsInvalid } from "./errors.ts";

const HANDLE = /^([\da-f-]{36})\.[\da-f-]{36}$/;

/** The handle of one receive of a message. */
export function receiptHandleOf(messageId: string, receiveId: string): string {
  return Buffer.from(`${messageId}.${receiveId}`).toString("base64url");
}

/** @throws ReceiptHandleIsInvalid for a handle that was not returned by a receive */
export function messageIdIn(receiptHandle: string): string {
  const [, messageId] = HANDLE.exec(Buffer.from(receiptHandle, "base64url").toString()) ?? [];
  if (messageId === undefined) throw new ReceiptHandleIsInvalid();
  return messageId;
}
