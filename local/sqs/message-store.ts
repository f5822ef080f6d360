import * as z from "zod";
import type { Message } from "./message.ts";
import { QueueAttributes } from "./queue-attributes.ts";

/** A queue without its messages. Times are in ms since 1970. */
export const QueueRecord = z.object({
  name: z.string(),
  createdAt: z.number(),
  modifiedAt: z.number(),
  attributes: QueueAttributes,
});
export type QueueRecord = z.infer<typeof QueueRecord>;

/** Stores the engine's state, change by change. */
export interface MessageStore {
  saveQueue(queue: QueueRecord): void;
  saveMessage(queueName: string, message: Message): void;
  removeMessage(messageId: string): void;
}

/** The state stored by an earlier engine. */
export interface KeptState {
  readonly queues: readonly QueueRecord[];
  readonly messages: readonly { readonly queueName: string; readonly message: Message }[];
}

/** Stores nothing: for an engine that lives only as long as its process. */
export const NO_STORE: MessageStore = { saveQueue() {}, saveMessage() {}, removeMessage() {} };
