import {
  SendMessageBatchCommand,
  type SendMessageBatchRequestEntry,
  SendMessageCommand,
  type SQSClient,
} from "@aws-sdk/client-sqs";
import type { Delivery } from "#webhooks/delivery";

/** The longest delay that SQS gives a message, in seconds (Amazon SQS message quotas). */
const LONGEST_DELAY_SECONDS = 15 * 60;
/** The most messages of one batch request (Amazon SQS message quotas). */
const BATCH = 10;

/** The queue that deliveries wait in, and the one where those end that no try brought home. */
export class DeliveryQueue {
  readonly #client: SQSClient;
  readonly #queueUrl: string;
  readonly #now: () => Date;

  constructor(client: SQSClient, queueUrl: string, now = () => new Date()) {
    this.#client = client;
    this.#queueUrl = queueUrl;
    this.#now = now;
  }

  async send(delivery: Delivery): Promise<void> {
    await this.#client.send(new SendMessageCommand({ QueueUrl: this.#queueUrl, ...this.#message(delivery) }));
  }

  /** Puts aside a message that cannot be read, as it came. */
  async park(messageBody: string): Promise<void> {
    await this.#client.send(new SendMessageCommand({ QueueUrl: this.#queueUrl, MessageBody: messageBody }));
  }

  /**
   * Sends many, in as few requests as SQS allows.
   *
   * @returns those that SQS refused or that no answer came for
   */
  async sendAll<Entry extends Delivery>(deliveries: readonly Entry[]): Promise<Entry[]> {
    const batches = Array.from({ length: Math.ceil(deliveries.length / BATCH) }, (_, index) =>
      deliveries.slice(index * BATCH, (index + 1) * BATCH),
    );
    const refused = await Promise.all(batches.map((batch) => this.#sendBatch(batch)));
    return refused.flat();
  }

  async #sendBatch<Entry extends Delivery>(batch: readonly Entry[]): Promise<readonly Entry[]> {
    const Entries = batch.map(
      (delivery, index): SendMessageBatchRequestEntry => ({ Id: String(index), ...this.#message(delivery) }),
    );
    try {
      const { Failed = [] } = await this.#client.send(
        new SendMessageBatchCommand({ QueueUrl: this.#queueUrl, Entries }),
      );
      const failed = new Set(Failed.map(({ Id }) => Id));
      return batch.filter((_, index) => failed.has(String(index)));
    } catch {
      return batch;
    }
  }

  #message(delivery: Delivery) {
    const waitMs = Date.parse(delivery.dueAt) - this.#now().getTime();
    return {
      MessageBody: JSON.stringify(delivery),
      // Fair queues: a group with much in flight yields to the others.
      MessageGroupId: delivery.endpointId,
      DelaySeconds: Math.min(LONGEST_DELAY_SECONDS, Math.max(0, Math.ceil(waitMs / 1000))),
    };
  }
}
