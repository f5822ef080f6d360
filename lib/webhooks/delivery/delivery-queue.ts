import {
  SendMessageBatchCommand,
  type SendMessageBatchRequestEntry,
  SendMessageCommand,
  type SQSClient,
} from "@aws-sdk/client-sqs";
import { MINUTE } from "#runtime/durations";
import { inParallel } from "#runtime/in-parallel";
import { logger } from "#runtime/logger";
import { messageBodyOf } from "#runtime/message-body";
import type { Delivery } from "#webhooks/delivery/delivery";

/** The longest delay that SQS gives a message, in ms: 15 minutes (Amazon SQS message quotas). */
export const LONGEST_DELAY_MS = 15 * MINUTE;
/** The most messages in one batch request (Amazon SQS message quotas). */
const BATCH = 10;
/** The largest total size of the messages in one batch, in bytes: 1 MiB (Amazon SQS message quotas). */
const BATCH_BYTES = 1_048_576;

/**
 * The most batch requests of a queue under way at once. The queues of a process share 50 sockets, and a request that
 * waits a second for one counts as unable to connect (AWS SDK for JavaScript developer guide, "Configure maxSockets in
 * Node.js").
 */
const REQUESTS_AT_ONCE = 16;

/** A delivery that SQS refused. */
export interface Refusal {
  readonly delivery: Delivery;
  /** The message itself is invalid, and SQS would refuse it again (Amazon SQS API, BatchResultErrorEntry). */
  readonly senderFault: boolean;
}

/** A queue refused deliveries: what they come from is to be done again. */
export class DeliveriesRefused extends Error {
  override readonly name = "DeliveriesRefused";

  constructor({ length }: readonly Refusal[]) {
    super(`Deliveries that the queue refused: ${length}.`);
  }
}

/** A queue of pending deliveries, or the dead-letter queue of those that exhausted their retries. */
export class DeliveryQueue {
  readonly #client: SQSClient;
  readonly #queueUrl: string;
  readonly #now: () => Date;

  constructor(client: SQSClient, queueUrl: string, now: () => Date) {
    this.#client = client;
    this.#queueUrl = queueUrl;
    this.#now = now;
  }

  /** Sends a delivery, which can be received when it is due, or after {@link LONGEST_DELAY_MS} if that is sooner. */
  async send(delivery: Delivery): Promise<void> {
    await this.#client.send(new SendMessageCommand({ QueueUrl: this.#queueUrl, ...this.#message(delivery) }));
  }

  /** Parks an unreadable message unchanged. */
  async park(messageBody: string): Promise<void> {
    await this.#client.send(new SendMessageCommand({ QueueUrl: this.#queueUrl, MessageBody: messageBody }));
  }

  /**
   * Sends deliveries in as few requests as SQS allows.
   *
   * @returns the deliveries that SQS refused, and those whose request received no response
   */
  async sendAll(deliveries: readonly Delivery[]): Promise<Refusal[]> {
    const refused = await inParallel(inBatches(deliveries), REQUESTS_AT_ONCE, (batch) =>
      this.#sendBatch(batch),
    );
    return refused.flat();
  }

  async #sendBatch(batch: readonly Delivery[]): Promise<Refusal[]> {
    const Entries = batch.map(
      (delivery, index): SendMessageBatchRequestEntry => ({ Id: String(index), ...this.#message(delivery) }),
    );
    try {
      const { Failed = [] } = await this.#client.send(
        new SendMessageBatchCommand({ QueueUrl: this.#queueUrl, Entries }),
      );
      return Failed.flatMap(({ Id, Code, SenderFault = false }) => {
        const delivery = batch[Number(Id)];
        if (!delivery) return [];
        const { orgId, endpointId, eventId } = delivery;
        logger.error("delivery refused by the queue", {
          orgId,
          endpointId,
          eventId,
          queue: this.#name,
          code: Code,
          senderFault: SenderFault,
        });
        return [{ delivery, senderFault: SenderFault }];
      });
    } catch (error) {
      const eventIds = batch.map(({ eventId }) => eventId);
      logger.error("deliveries not sent", { queue: this.#name, eventIds, cause: error });
      return batch.map((delivery) => ({ delivery, senderFault: false }));
    }
  }

  get #name(): string {
    return this.#queueUrl.slice(this.#queueUrl.lastIndexOf("/") + 1);
  }

  #message(delivery: Delivery) {
    const waitMs = Date.parse(delivery.dueAt) - this.#now().getTime();
    return {
      MessageBody: messageBodyOf(delivery),
      // Fair queues: other organisations' messages precede those of one with many in flight.
      MessageGroupId: delivery.orgId,
      DelaySeconds: Math.ceil(Math.min(LONGEST_DELAY_MS, Math.max(0, waitMs)) / 1000),
    };
  }
}

function inBatches(deliveries: readonly Delivery[]): Delivery[][] {
  const batches: Delivery[][] = [];
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
