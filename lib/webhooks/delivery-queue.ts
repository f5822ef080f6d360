import {
  SendMessageBatchCommand,
  type SendMessageBatchRequestEntry,
  SendMessageCommand,
  type SQSClient,
} from "@aws-sdk/client-sqs";
import { logger } from "#aws/logger";
import type { Delivery } from "#webhooks/delivery";

/** The longest delay that SQS gives a message, in seconds (Amazon SQS message quotas). */
const LONGEST_DELAY_SECONDS = 15 * 60;
/** The most messages of one batch request (Amazon SQS message quotas). */
const BATCH = 10;
/** The most that the messages of one batch hold together, in bytes: 1 MiB (Amazon SQS message quotas). */
const BATCH_BYTES = 1_048_576;

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
    const batches = inBatches(deliveries);
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
    } catch (error) {
      logger.error("deliveries not sent", { count: batch.length, cause: error });
      return batch;
    }
  }

  #message(delivery: Delivery) {
    const waitMs = Date.parse(delivery.dueAt) - this.#now().getTime();
    return {
      MessageBody: messageBodyOf(delivery),
      // Fair queues: a group with much in flight yields to the others.
      MessageGroupId: delivery.endpointId,
      DelaySeconds: Math.min(LONGEST_DELAY_SECONDS, Math.max(0, Math.ceil(waitMs / 1000))),
    };
  }
}

// SQS refuses these two characters (Amazon SQS API, SendMessage); as JSON escapes they get through.
const REFUSED_CHARACTERS = /[\uFFFE\uFFFF]/g;

function messageBodyOf(delivery: Delivery): string {
  return JSON.stringify(delivery).replace(
    REFUSED_CHARACTERS,
    (character) => `\\u${character.charCodeAt(0).toString(16)}`,
  );
}

function inBatches<Entry extends Delivery>(deliveries: readonly Entry[]): Entry[][] {
  const batches: Entry[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const delivery of deliveries) {
    const size = Buffer.byteLength(messageBodyOf(delivery));
    const batch = batches.at(-1);
    if (batch && batch.length < BATCH && bytes + size <= BATCH_BYTES) {
      batch.push(delivery);
      bytes += size;
    } else {
      batches.push([delivery]);
      bytes = size;
    }
  }
  return batches;
}
