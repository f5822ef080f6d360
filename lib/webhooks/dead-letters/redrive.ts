import type { DynamoDBStreamsClient } from "@aws-sdk/client-dynamodb-streams";
import { firesEvent, OutboxRecord, toOutboxRecord } from "#candidates/outbox/outbox";
import { FailedBatch, readFailedBatch } from "#runtime/failed-batch";
import { logger } from "#runtime/logger";
import { readDelivery, withoutBody } from "#webhooks/delivery/delivery";
import type { DeliveryQueue } from "#webhooks/delivery/delivery-queue";
import { publish } from "#webhooks/delivery/publish";
import type { WebhookEndpointRepository } from "#webhooks/endpoints/webhook-endpoint-repository";
import type { EventFeed } from "#webhooks/feed/event-feed";
import type { RecentIds } from "#webhooks/feed/recent-ids";

export interface RedriveService {
  readonly wait: (ms: number) => Promise<unknown>;
  readonly streams: DynamoDBStreamsClient;
  readonly feed: Pick<EventFeed, "append" | "settled">;
  readonly endpoints: Pick<WebhookEndpointRepository, "list">;
  /** The retry queue, so that a redrive delays no new event. */
  readonly queue: Pick<DeliveryQueue, "send" | "sendAll">;
  /**
   * The events that this process has published. Batches that failed at the same time overlap: Lambda processes up to
   * ten of a shard at once, and each letter has only the positions of its first and last record.
   */
  readonly published: Pick<RecentIds, "has" | "add">;
  readonly now: () => Date;
}

/** Restarts a dead-lettered delivery from its first attempt. Returns false if it cannot be read. */
export async function redriveDelivery(body: string, { queue, now }: RedriveService): Promise<boolean> {
  const delivery = readDelivery(body);
  if (!delivery) return false;
  const resentAt = now().toISOString();
  await queue.send({ ...withoutBody(delivery), attempt: 1, dueAt: resentAt, resentAt });
  return true;
}

/**
 * Publishes events that were parked or failed in the stream, unless this process already has. Returns false if they
 * still cannot be published.
 */
export async function redriveEvents(
  body: string,
  { streams, queue, now, ...service }: RedriveService,
): Promise<boolean> {
  try {
    const letter: unknown = JSON.parse(body);
    const batch = FailedBatch.safeParse(letter);
    const records = batch.success
      ? (await readFailedBatch(streams, batch.data, firesEvent)).map(toOutboxRecord)
      : [OutboxRecord.parse(letter)];
    let unreadable = 0;
    const park = async () => {
      unreadable += 1;
    };
    const resentAt = now().toISOString();
    const queues = { delivery: queue, side: queue, retry: queue };
    const failed = await publish(records, { ...service, queues, unreadable: { park }, now, resentAt });
    return failed === undefined && unreadable === 0;
  } catch (error) {
    logger.error("redrive failed", { cause: error });
    return false;
  }
}
