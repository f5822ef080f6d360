import { v4 } from "uuid";
import type * as z from "zod";
import { performBatch } from "./batch.ts";
import { hasOnlyAllowedCharacters } from "./characters.ts";
import {
  BatchRequestTooLong,
  InvalidAttributeValue,
  InvalidMessageContents,
  InvalidParameterValue,
  MissingParameter,
  OverLimit,
  QueueDoesNotExist,
  QueueNameExists,
  UnsupportedOperation,
} from "./errors.ts";
import { digestOfBody, type Message, receivedMessage } from "./message.ts";
import { digestOfAttributes, sizeOfAttributes } from "./message-attributes.ts";
import { type KeptState, type MessageStore, NO_STORE, type QueueRecord } from "./message-store.ts";
import { Queue } from "./queue.ts";
import {
  attributeTexts,
  DEFAULT_ATTRIBUTES,
  parseAttributes,
  type QueueAttributes,
} from "./queue-attributes.ts";
import {
  type BatchRequest,
  type ChangeMessageVisibilityRequest,
  type CreateQueueRequest,
  DeleteMessageEntry,
  type DeleteMessageRequest,
  type GetQueueAttributesRequest,
  type GetQueueUrlRequest,
  type ListQueuesRequest,
  parseRequest,
  type ReceiveMessageRequest,
  SendMessageEntry,
  type SendMessageRequest,
  type SetQueueAttributesRequest,
} from "./requests.ts";

/** The most that the messages of one batch hold together, in bytes (Amazon SQS API, SendMessageBatch). */
const BATCH_BYTES = 1_048_576;
/** Amazon SQS developer guide, "Standard queue quotas": messages per queue, in flight. */
const MOST_IN_FLIGHT = 120_000;
/** Amazon SQS API, CreateQueue, "QueueName". */
const QUEUE_NAME = /^[\w-]{1,80}$/;

export interface SqsEngineOptions {
  /** In ms since 1970. */
  readonly now: () => number;
  /** As Math.random. */
  readonly random: () => number;
  readonly queueUrl: (queueName: string) => string;
  readonly store?: MessageStore;
  readonly kept?: KeptState;
  /** The messages that a queue can have in flight, a quota that AWS raises on request: 120,000 by default. */
  readonly mostInFlight?: number;
}

type Send = z.output<typeof SendMessageRequest>;
type OutgoingMessage = Omit<Send, "QueueUrl">;

/**
 * The standard queues of Amazon SQS, without a clock, a network or a disk of its own: time and randomness come in
 * from outside, and a receive never waits. Who waits asks when the next message is due. Each action throws the
 * errors that the service would, as SqsError.
 */
export class SqsEngine {
  readonly #options: SqsEngineOptions;
  readonly #store: MessageStore;
  readonly #mostInFlight: number;
  readonly #queues = new Map<string, Queue>();
  #lastSequence = 0;

  constructor(options: SqsEngineOptions) {
    this.#options = options;
    this.#store = options.store ?? NO_STORE;
    this.#mostInFlight = options.mostInFlight ?? MOST_IN_FLIGHT;
    for (const record of options.kept?.queues ?? []) this.#addQueue(record);
    for (const { queueName, message } of options.kept?.messages ?? []) this.#restore(queueName, message);
  }

  /**
   * When the next message of a queue is visible, in ms since 1970: now or earlier when a receive would find one,
   * undefined when the queue is empty.
   *
   * @throws QueueDoesNotExist
   */
  nextDue(queueUrl: string): number | undefined {
    return this.#queue(queueUrl).nextDue(this.#options.now());
  }

  /**
   * Every message of a queue, delayed and in flight too, in the order of their arrival.
   *
   * @throws QueueDoesNotExist
   */
  messagesIn(queueUrl: string): readonly Readonly<Message>[] {
    return this.#queue(queueUrl).messages;
  }

  /**
   * For how long a receive waits for messages, in ms.
   *
   * @throws QueueDoesNotExist
   */
  waitOf({ QueueUrl, WaitTimeSeconds }: z.output<typeof ReceiveMessageRequest>): number {
    const { attributes } = this.#queue(QueueUrl).record;
    return (WaitTimeSeconds ?? attributes.ReceiveMessageWaitTimeSeconds) * 1000;
  }

  createQueue({ QueueName, Attributes }: z.output<typeof CreateQueueRequest>) {
    if (QueueName.endsWith(".fifo") || Attributes["FifoQueue"] === "true") {
      throw new UnsupportedOperation("FIFO queues");
    }
    if (!QUEUE_NAME.test(QueueName)) {
      throw new InvalidParameterValue(
        "QueueName",
        "It has 1 to 80 letters, digits, hyphens and underscores.",
      );
    }
    const given = this.#parseAttributes(Attributes);
    const existing = this.#queues.get(QueueName);
    if (existing) refuseOthers(existing.record.attributes, given);
    else {
      const now = this.#options.now();
      const attributes = { ...DEFAULT_ATTRIBUTES, ...given };
      const record = { name: QueueName, createdAt: now, modifiedAt: now, attributes };
      this.#addQueue(record);
      this.#store.saveQueue(record);
    }
    return { QueueUrl: this.#options.queueUrl(QueueName) };
  }

  getQueueUrl({ QueueName }: z.output<typeof GetQueueUrlRequest>) {
    if (!this.#queues.has(QueueName)) throw new QueueDoesNotExist();
    return { QueueUrl: this.#options.queueUrl(QueueName) };
  }

  listQueues({ QueueNamePrefix }: z.output<typeof ListQueuesRequest>) {
    const names = [...this.#queues.keys()].filter((name) => name.startsWith(QueueNamePrefix)).sort();
    return { QueueUrls: names.map((name) => this.#options.queueUrl(name)) };
  }

  setQueueAttributes({ QueueUrl, Attributes }: z.output<typeof SetQueueAttributesRequest>) {
    const queue = this.#queue(QueueUrl);
    const attributes = { ...queue.record.attributes, ...this.#parseAttributes(Attributes) };
    queue.record = { ...queue.record, modifiedAt: this.#options.now(), attributes };
    this.#store.saveQueue(queue.record);
    return {};
  }

  getQueueAttributes({ QueueUrl, AttributeNames }: z.output<typeof GetQueueAttributesRequest>) {
    const queue = this.#queue(QueueUrl);
    const { visible, inFlight, delayed } = queue.counts(this.#options.now());
    const all = {
      ...attributeTexts(queue.record.attributes),
      QueueArn: queue.arn,
      CreatedTimestamp: String(Math.floor(queue.record.createdAt / 1000)),
      LastModifiedTimestamp: String(Math.floor(queue.record.modifiedAt / 1000)),
      ApproximateNumberOfMessages: String(visible),
      ApproximateNumberOfMessagesNotVisible: String(inFlight),
      ApproximateNumberOfMessagesDelayed: String(delayed),
    };
    const wanted = Object.entries(all).filter(
      ([name]) => AttributeNames.includes("All") || AttributeNames.includes(name),
    );
    return wanted.length === 0 ? {} : { Attributes: Object.fromEntries(wanted) };
  }

  sendMessage({ QueueUrl, ...message }: Send, traceHeader?: string) {
    return this.#send(this.#queue(QueueUrl), message, traceHeader);
  }

  sendMessageBatch({ QueueUrl, Entries }: z.output<typeof BatchRequest>, traceHeader?: string) {
    const queue = this.#queue(QueueUrl);
    const bytes = Entries.reduce((sum, entry) => {
      const message = SendMessageEntry.safeParse(entry);
      return sum + (message.success ? sizeOf(message.data) : 0);
    }, 0);
    if (bytes > BATCH_BYTES) throw new BatchRequestTooLong(BATCH_BYTES, bytes);
    return performBatch(Entries, (entry) =>
      this.#send(queue, parseRequest(SendMessageEntry, entry), traceHeader),
    );
  }

  #send(queue: Queue, given: OutgoingMessage, traceHeader: string | undefined) {
    const { DelaySeconds: queueDelay, MaximumMessageSize } = queue.record.attributes;
    const { MessageBody, MessageAttributes, MessageSystemAttributes, MessageGroupId } = given;
    if (MessageBody === "") throw new MissingParameter("MessageBody");
    if (!hasOnlyAllowedCharacters(MessageBody)) throw new InvalidMessageContents();
    if (sizeOf(given) > MaximumMessageSize) {
      throw new InvalidParameterValue(
        "MessageBody",
        `Message must be shorter than ${MaximumMessageSize} bytes.`,
      );
    }
    const now = this.#options.now();
    const message: Message = {
      id: this.#newId(),
      sequence: this.#nextSequence(),
      body: MessageBody,
      attributes: MessageAttributes,
      groupId: MessageGroupId,
      // What the sender names goes before the header that its SDK adds (AWS X-Ray developer guide, "Amazon SQS").
      traceHeader: MessageSystemAttributes.AWSTraceHeader?.StringValue ?? traceHeader,
      sentAt: now,
      visibleAt: now + (given.DelaySeconds ?? queueDelay) * 1000,
      inFlight: false,
      receiveCount: 0,
    };
    queue.add(message);
    const { AWSTraceHeader } = MessageSystemAttributes;
    const system = digestOfAttributes(AWSTraceHeader ? { AWSTraceHeader } : {});
    const attributes = digestOfAttributes(MessageAttributes);
    return {
      MessageId: message.id,
      MD5OfMessageBody: digestOfBody(MessageBody),
      ...(attributes !== undefined && { MD5OfMessageAttributes: attributes }),
      ...(system !== undefined && { MD5OfMessageSystemAttributes: system }),
    };
  }

  receiveMessage(request: z.output<typeof ReceiveMessageRequest>) {
    const queue = this.#queue(request.QueueUrl);
    const now = this.#options.now();
    // A long poll waits instead (Amazon SQS developer guide, "Standard queue quotas").
    if (queue.isFull(now) && this.waitOf(request) === 0) throw new OverLimit(this.#mostInFlight);
    const { VisibilityTimeout, RedrivePolicy } = queue.record.attributes;
    const received = queue.receive({
      count: request.MaxNumberOfMessages,
      visibilityTimeoutMs: (request.VisibilityTimeout ?? VisibilityTimeout) * 1000,
      now,
      newId: () => this.#newId(),
      deadLetters: RedrivePolicy && this.#queueOfArn(RedrivePolicy.deadLetterTargetArn),
    });
    if (received.length === 0) return {};
    const wanted = {
      systemAttributes: [...request.AttributeNames, ...request.MessageSystemAttributeNames],
      attributes: request.MessageAttributeNames,
    };
    return { Messages: received.map((message) => receivedMessage(message, wanted)) };
  }

  deleteMessage({ QueueUrl, ReceiptHandle }: z.output<typeof DeleteMessageRequest>) {
    this.#queue(QueueUrl).delete(ReceiptHandle, this.#options.now());
    return {};
  }

  deleteMessageBatch({ QueueUrl, Entries }: z.output<typeof BatchRequest>) {
    const queue = this.#queue(QueueUrl);
    return performBatch(Entries, (entry) => {
      queue.delete(parseRequest(DeleteMessageEntry, entry).ReceiptHandle, this.#options.now());
      return {};
    });
  }

  changeMessageVisibility(request: z.output<typeof ChangeMessageVisibilityRequest>) {
    const { QueueUrl, ReceiptHandle, VisibilityTimeout } = request;
    this.#queue(QueueUrl).changeVisibility(ReceiptHandle, VisibilityTimeout * 1000, this.#options.now());
    return {};
  }

  #parseAttributes(given: Readonly<Record<string, string>>): Partial<QueueAttributes> {
    const attributes = parseAttributes(given);
    const { RedrivePolicy: policy } = attributes;
    if (policy && !this.#queueOfArn(policy.deadLetterTargetArn)) {
      throw new InvalidAttributeValue("RedrivePolicy", "Dead letter target does not exist.");
    }
    return attributes;
  }

  #addQueue(record: QueueRecord): void {
    const surroundings = { store: this.#store, mostInFlight: this.#mostInFlight };
    this.#queues.set(record.name, new Queue(record, surroundings));
  }

  /** A queue's URL ends with its name. */
  #queue(queueUrl: string): Queue {
    const queue = this.#queues.get(queueUrl.split("/").at(-1) ?? "");
    if (!queue) throw new QueueDoesNotExist();
    return queue;
  }

  #queueOfArn(arn: string): Queue | undefined {
    const queue = this.#queues.get(arn.split(":").at(-1) ?? "");
    return queue?.arn === arn ? queue : undefined;
  }

  /** Whoever was handling a message that was in flight ended with the engine before: nobody is to wait for it. */
  #restore(queueName: string, message: Message): void {
    this.#lastSequence = Math.max(this.#lastSequence, message.sequence);
    const visibleAt = message.inFlight ? Math.min(message.visibleAt, this.#options.now()) : message.visibleAt;
    this.#queues.get(queueName)?.add({ ...message, inFlight: false, visibleAt });
  }

  #newId(): string {
    return v4({ random: Uint8Array.from({ length: 16 }, () => Math.floor(this.#options.random() * 256)) });
  }

  #nextSequence(): number {
    this.#lastSequence += 1;
    return this.#lastSequence;
  }
}

/** What counts to the size of a message: its body and its attributes, but no system attributes. */
function sizeOf({ MessageBody, MessageAttributes }: Pick<Send, "MessageBody" | "MessageAttributes">): number {
  return Buffer.byteLength(MessageBody) + sizeOfAttributes(MessageAttributes);
}

function refuseOthers(existing: QueueAttributes, given: Partial<QueueAttributes>): void {
  const [before, after] = [attributeTexts(existing), attributeTexts({ ...existing, ...given })];
  for (const name of Object.keys(given)) {
    if (before[name] !== after[name]) throw new QueueNameExists(name);
  }
}
