import { v4 } from "uuid";
import type * as z from "zod";
import { performBatch } from "./batch.ts";
import {
  BatchRequestTooLong,
  InvalidAttributeValue,
  InvalidParameterValue,
  OverLimit,
  QueueDoesNotExist,
  UnsupportedOperation,
} from "./errors.ts";
import { type Message, receivedMessage } from "./message.ts";
import { type KeptState, type MessageStore, NO_STORE } from "./message-store.ts";
import type { Queue } from "./queue.ts";
import {
  attributeTexts,
  DEFAULT_ATTRIBUTES,
  parseAttributes,
  type QueueAttributes,
  requireSame,
} from "./queue-attributes.ts";
import { Queues } from "./queues.ts";
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
import { type OutgoingMessage, requireSendable, sentMessage, sizeOf } from "./sending.ts";

/** The largest total size of the messages in one batch, in bytes (Amazon SQS API, SendMessageBatch). */
const BATCH_BYTES = 1_048_576;
/** Amazon SQS developer guide, "Standard queue quotas": messages per queue, in flight. */
const MOST_IN_FLIGHT = 120_000;
/** Amazon SQS API, CreateQueue, "QueueName". */
const QUEUE_NAME = /^[\w-]{1,80}$/;

export interface SqsEngineOptions {
  /** In ms since 1970. */
  readonly now: () => number;
  /** Like Math.random. */
  readonly random: () => number;
  readonly queueUrl: (queueName: string) => string;
  readonly store?: MessageStore;
  readonly kept?: KeptState;
  /** The most messages in flight per queue, a quota that AWS raises on request: 120,000 by default. */
  readonly mostInFlight?: number;
}

type Send = z.output<typeof SendMessageRequest>;

/**
 * The standard queues of Amazon SQS without clock, network or disk: the caller supplies time and randomness, and a
 * receive never waits. To wait, callers look up when the next message is due. Each action throws the errors of the
 * service, as SqsError.
 */
export class SqsEngine {
  readonly #options: SqsEngineOptions;
  readonly #store: MessageStore;
  readonly #mostInFlight: number;
  readonly #queues: Queues;
  #lastSequence = 0;

  constructor(options: SqsEngineOptions) {
    this.#options = options;
    this.#store = options.store ?? NO_STORE;
    this.#mostInFlight = options.mostInFlight ?? MOST_IN_FLIGHT;
    this.#queues = new Queues({ store: this.#store, mostInFlight: this.#mostInFlight });
    for (const record of options.kept?.queues ?? []) this.#queues.add(record);
    for (const { queueName, message } of options.kept?.messages ?? []) this.#restore(queueName, message);
  }

  /**
   * When the next message of a queue is visible, in ms since 1970: now or earlier if a receive would return one,
   * undefined if the queue is empty.
   *
   * @throws QueueDoesNotExist
   */
  nextDue(queueUrl: string): number | undefined {
    return this.#queues.ofUrl(queueUrl).nextDue(this.#options.now());
  }

  /**
   * All messages of a queue in order of arrival, including delayed ones and those in flight.
   *
   * @throws QueueDoesNotExist
   */
  messagesIn(queueUrl: string): readonly Readonly<Message>[] {
    return this.#queues.ofUrl(queueUrl).messages;
  }

  /**
   * How long a receive waits for messages, in ms.
   *
   * @throws QueueDoesNotExist
   */
  waitOf({ QueueUrl, WaitTimeSeconds }: z.output<typeof ReceiveMessageRequest>): number {
    const { attributes } = this.#queues.ofUrl(QueueUrl).record;
    return (WaitTimeSeconds ?? attributes.ReceiveMessageWaitTimeSeconds) * 1000;
  }

  createQueue({ QueueName, Attributes }: z.output<typeof CreateQueueRequest>) {
    if (QueueName.endsWith(".fifo") || Attributes["FifoQueue"] === "true") {
      throw new UnsupportedOperation("FIFO queues");
    }
    if (!QUEUE_NAME.test(QueueName)) {
      throw new InvalidParameterValue(
        "QueueName",
        "A queue name has 1 to 80 letters, digits, hyphens and underscores.",
      );
    }
    const given = this.#parseAttributes(Attributes);
    const existing = this.#queues.named(QueueName);
    if (existing) requireSame(existing.record.attributes, given);
    else {
      const now = this.#options.now();
      const attributes = { ...DEFAULT_ATTRIBUTES, ...given };
      const record = { name: QueueName, createdAt: now, modifiedAt: now, attributes };
      this.#queues.add(record);
      this.#store.saveQueue(record);
    }
    return { QueueUrl: this.#options.queueUrl(QueueName) };
  }

  getQueueUrl({ QueueName }: z.output<typeof GetQueueUrlRequest>) {
    if (!this.#queues.named(QueueName)) throw new QueueDoesNotExist();
    return { QueueUrl: this.#options.queueUrl(QueueName) };
  }

  listQueues({ QueueNamePrefix }: z.output<typeof ListQueuesRequest>) {
    const names = this.#queues.names.filter((name) => name.startsWith(QueueNamePrefix)).sort();
    return { QueueUrls: names.map((name) => this.#options.queueUrl(name)) };
  }

  setQueueAttributes({ QueueUrl, Attributes }: z.output<typeof SetQueueAttributesRequest>) {
    const queue = this.#queues.ofUrl(QueueUrl);
    const attributes = { ...queue.record.attributes, ...this.#parseAttributes(Attributes) };
    queue.record = { ...queue.record, modifiedAt: this.#options.now(), attributes };
    this.#store.saveQueue(queue.record);
    return {};
  }

  getQueueAttributes({ QueueUrl, AttributeNames }: z.output<typeof GetQueueAttributesRequest>) {
    const queue = this.#queues.ofUrl(QueueUrl);
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
    return this.#send(this.#queues.ofUrl(QueueUrl), message, traceHeader);
  }

  sendMessageBatch({ QueueUrl, Entries }: z.output<typeof BatchRequest>, traceHeader?: string) {
    const queue = this.#queues.ofUrl(QueueUrl);
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
    requireSendable(given, MaximumMessageSize);
    const now = this.#options.now();
    const message: Message = {
      id: this.#newId(),
      sequence: this.#nextSequence(),
      body: MessageBody,
      attributes: MessageAttributes,
      groupId: MessageGroupId,
      // A header in the message takes precedence over the SDK's (AWS X-Ray developer guide, "Amazon SQS").
      traceHeader: MessageSystemAttributes.AWSTraceHeader?.StringValue ?? traceHeader,
      sentAt: now,
      visibleAt: now + (given.DelaySeconds ?? queueDelay) * 1000,
      inFlight: false,
      receiveCount: 0,
    };
    queue.add(message);
    return sentMessage(message, given);
  }

  receiveMessage(request: z.output<typeof ReceiveMessageRequest>) {
    const queue = this.#queues.ofUrl(request.QueueUrl);
    const now = this.#options.now();
    // A long poll waits instead (Amazon SQS developer guide, "Standard queue quotas").
    if (queue.isFull(now) && this.waitOf(request) === 0) throw new OverLimit(this.#mostInFlight);
    const { VisibilityTimeout, RedrivePolicy } = queue.record.attributes;
    const received = queue.receive({
      count: request.MaxNumberOfMessages,
      visibilityTimeoutMs: (request.VisibilityTimeout ?? VisibilityTimeout) * 1000,
      now,
      newId: () => this.#newId(),
      deadLetters: RedrivePolicy && this.#queues.ofArn(RedrivePolicy.deadLetterTargetArn),
    });
    if (received.length === 0) return {};
    const wanted = {
      systemAttributes: [...request.AttributeNames, ...request.MessageSystemAttributeNames],
      attributes: request.MessageAttributeNames,
    };
    return { Messages: received.map((message) => receivedMessage(message, wanted)) };
  }

  deleteMessage({ QueueUrl, ReceiptHandle }: z.output<typeof DeleteMessageRequest>) {
    this.#queues.ofUrl(QueueUrl).delete(ReceiptHandle, this.#options.now());
    return {};
  }

  deleteMessageBatch({ QueueUrl, Entries }: z.output<typeof BatchRequest>) {
    const queue = this.#queues.ofUrl(QueueUrl);
    return performBatch(Entries, (entry) => {
      queue.delete(parseRequest(DeleteMessageEntry, entry).ReceiptHandle, this.#options.now());
      return {};
    });
  }

  changeMessageVisibility(request: z.output<typeof ChangeMessageVisibilityRequest>) {
    const { QueueUrl, ReceiptHandle, VisibilityTimeout } = request;
    this.#queues
      .ofUrl(QueueUrl)
      .changeVisibility(ReceiptHandle, VisibilityTimeout * 1000, this.#options.now());
    return {};
  }

  #parseAttributes(given: Readonly<Record<string, string>>): Partial<QueueAttributes> {
    const attributes = parseAttributes(given);
    const { RedrivePolicy: policy } = attributes;
    if (policy && !this.#queues.ofArn(policy.deadLetterTargetArn)) {
      throw new InvalidAttributeValue("RedrivePolicy", "Dead letter target does not exist.");
    }
    return attributes;
  }

  /** The receiver of a message in flight ended with the previous engine, so the message becomes visible at once. */
  #restore(queueName: string, message: Message): void {
    this.#lastSequence = Math.max(this.#lastSequence, message.sequence);
    const visibleAt = message.inFlight ? Math.min(message.visibleAt, this.#options.now()) : message.visibleAt;
    this.#queues.named(queueName)?.add({ ...message, inFlight: false, visibleAt });
  }

  #newId(): string {
    return v4({ random: Uint8Array.from({ length: 16 }, () => Math.floor(this.#options.random() * 256)) });
  }

  #nextSequence(): number {
    this.#lastSequence += 1;
    return this.#lastSequence;
  }
}
