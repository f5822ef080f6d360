import { queueArnOf } from "../template.ts";
import { InvalidParameterValue, MessageNotInflight } from "./errors.ts";
import { FairBacklog } from "./fair-backlog.ts";
import { Heap } from "./heap.ts";
import { isBefore, type Message } from "./message.ts";
import type { MessageStore, QueueRecord } from "./message-store.ts";
import { NUMBER_ATTRIBUTES } from "./queue-attributes.ts";
import { messageIdIn, receiptHandleOf } from "./receipt-handle.ts";

/** The longest time in flight after one receive, in seconds (Amazon SQS API, ChangeMessageVisibility). */
const LONGEST_VISIBILITY = NUMBER_ATTRIBUTES.VisibilityTimeout.most;

/** The parts shared by all queues. */
export interface QueueDependencies {
  readonly store: MessageStore;
  readonly mostInFlight: number;
}

interface Receive {
  readonly count: number;
  readonly visibilityTimeoutMs: number;
  readonly now: number;
  readonly newId: () => string;
  /** The destination of messages received as often as the redrive policy allows. */
  readonly deadLetters: Queue | undefined;
}

/** A standard queue and its messages. Times are in ms since 1970. */
export class Queue {
  record: QueueRecord;
  readonly #store: MessageStore;
  readonly #mostInFlight: number;
  readonly #messages = new Map<string, Message>();
  /** Delayed messages and messages in flight, ordered by when they become visible. */
  readonly #hidden = new Heap<Message>(isBefore);
  readonly #visible = new FairBacklog();
  readonly #byAge = new Heap<Message>((left, right) => left.sentAt < right.sentAt);

  constructor(record: QueueRecord, { store, mostInFlight }: QueueDependencies) {
    this.record = record;
    this.#store = store;
    this.#mostInFlight = mostInFlight;
  }

  get arn(): string {
    return queueArnOf(this.record.name);
  }

  get messages(): readonly Readonly<Message>[] {
    return [...this.#messages.values()];
  }

  /** Adds a message that was sent, moved from another queue, or stored by an earlier engine. */
  add(message: Message): void {
    this.#messages.set(message.id, message);
    this.#byAge.add(message);
    this.#visible.arrived(message);
    this.#hidden.add(message);
    this.#store.saveMessage(this.record.name, message);
  }

  /** Whether the limit of messages in flight is reached, so that no more can be received. */
  isFull(now: number): boolean {
    this.#settle(now);
    return this.#visible.inFlight >= this.#mostInFlight;
  }

  receive({ count, visibilityTimeoutMs, now, newId, deadLetters }: Receive): Message[] {
    this.#settle(now);
    const received: Message[] = [];
    while (received.length < count && this.#visible.inFlight < this.#mostInFlight) {
      const message = this.#visible.next(now);
      if (!message) break;
      if (deadLetters && this.#isExhausted(message)) {
        this.#forget(message, now);
        deadLetters.add({ ...message, visibleAt: now, deadLetterSourceArn: this.arn });
        continue;
      }
      this.#visible.remove(message);
      message.receiveCount += 1;
      message.firstReceivedAt ??= now;
      message.receivedAt = now;
      message.receiptHandle = receiptHandleOf(message.id, newId());
      message.inFlight = true;
      this.#visible.changeFlight(message, 1, now);
      this.#hideUntil(message, now + visibilityTimeoutMs);
      received.push(message);
    }
    // If the disk is full, all of them are received again later.
    for (const message of received) this.#store.saveMessage(this.record.name, message);
    return received;
  }

  /**
   * Deletes the message of a handle. The handle of an earlier receive, or of a deleted message, is accepted but deletes
   * nothing (Amazon SQS API, DeleteMessage).
   *
   * @throws ReceiptHandleIsInvalid
   */
  delete(receiptHandle: string, now: number): void {
    this.#settle(now);
    const message = this.#messages.get(messageIdIn(receiptHandle));
    if (message?.receiptHandle !== receiptHandle) return;
    this.#forget(message, now);
    this.#store.removeMessage(message.id);
  }

  /** @throws ReceiptHandleIsInvalid MessageNotInflight InvalidParameterValue beyond 12 hours after the receive */
  changeVisibility(receiptHandle: string, timeoutMs: number, now: number): void {
    this.#settle(now);
    const message = this.#messages.get(messageIdIn(receiptHandle));
    if (message?.receiptHandle !== receiptHandle || !message.inFlight) throw new MessageNotInflight();
    if (now + timeoutMs - (message.receivedAt ?? now) > LONGEST_VISIBILITY * 1000) {
      throw new InvalidParameterValue(
        "VisibilityTimeout",
        `A message may be in flight for at most ${LONGEST_VISIBILITY} seconds.`,
      );
    }
    this.#hidden.remove(message);
    this.#hideUntil(message, now + timeoutMs);
    this.#store.saveMessage(this.record.name, message);
  }

  /** The numbers of visible messages, messages in flight and delayed messages. */
  counts(now: number) {
    this.#settle(now);
    const { size: visible, inFlight } = this.#visible;
    return { visible, inFlight, delayed: this.#messages.size - visible - inFlight };
  }

  /** When the next message can be received, possibly in the past; undefined if the queue has none. */
  nextDue(now: number): number | undefined {
    const visible = this.isFull(now) ? undefined : this.#visible.oldest;
    return (visible ?? this.#hidden.first)?.visibleAt;
  }

  #isExhausted({ receiveCount }: Message): boolean {
    const { RedrivePolicy: policy } = this.record.attributes;
    return policy !== undefined && receiveCount >= policy.maxReceiveCount;
  }

  #hideUntil(message: Message, visibleAt: number): void {
    message.visibleAt = visibleAt;
    this.#hidden.add(message);
  }

  /** Applies the passage of time: ends delays and visibility timeouts, and removes expired messages. */
  #settle(now: number): void {
    for (let { first } = this.#hidden; first && first.visibleAt <= now; { first } = this.#hidden) {
      this.#hidden.remove(first);
      if (first.inFlight) this.#visible.changeFlight(first, -1, first.visibleAt);
      first.inFlight = false;
      this.#visible.add(first);
    }
    const oldest = now - this.record.attributes.MessageRetentionPeriod * 1000;
    for (let { first } = this.#byAge; first && first.sentAt < oldest; { first } = this.#byAge) {
      this.#forget(first, now);
      this.#store.removeMessage(first.id);
    }
  }

  #forget(message: Message, now: number): void {
    this.#messages.delete(message.id);
    this.#byAge.remove(message);
    if (!this.#hidden.remove(message)) this.#visible.remove(message);
    if (message.inFlight) this.#visible.changeFlight(message, -1, now);
  }
}
