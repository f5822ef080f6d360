import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { type DynamoDBDocumentClient, GetCommand, paginateQuery, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import * as z from "zod/mini";
import { AbridgedEvent } from "#candidates/outbox/abridged-event";
import { isEventId } from "#contract/identifiers";
import {
  type DeliveryAttempt,
  type DeliveryStatus,
  type DropReason,
  WebhookDelivery,
} from "#contract/webhook-delivery";
import { type Update, updateExpression } from "#runtime/update-expression";
import { type Delivery, eventOf } from "#webhooks/delivery/delivery";

/** How long a delivery's record is kept, in seconds: 30 days. */
const RETENTION_SECONDS = 30 * 24 * 60 * 60;

/** The record of an event's delivery to an endpoint: ids, times and outcomes; no response bodies. */
export const DeliveryRecord = z.extend(WebhookDelivery, { endpointId: z.string(), orgId: z.string() });
export type DeliveryRecord = z.infer<typeof DeliveryRecord>;

/** The deliveries of the last 30 days. */
export class DeliveryLog {
  readonly #client: DynamoDBDocumentClient;
  readonly #tableName: string;
  readonly #now: () => Date;

  constructor(client: DynamoDBDocumentClient, tableName: string, now: () => Date) {
    this.#client = client;
    this.#tableName = tableName;
    this.#now = now;
  }

  /**
   * Records a delivery's new status, and the attempt, if one was made. A delivery that has ended does not become
   * pending again because of a late copy, and a delivered one stays delivered even if it is sent again. A second
   * request then records only the attempt.
   */
  async record(
    delivery: Delivery,
    {
      status,
      lastAttempt,
      nextAttemptAt,
      reason,
    }: {
      readonly status: DeliveryStatus;
      readonly lastAttempt?: DeliveryAttempt;
      readonly nextAttemptAt?: string;
      readonly reason?: DropReason;
    },
  ): Promise<void> {
    const { endpointId, eventId, eventType, orgId, sample, resentAt } = delivery;
    const attempts = {
      assign: { tries: "list_append(if_not_exists(#tries, :none), :tries)" },
      values: { ":none": [], ":tries": lastAttempt ? [stored(lastAttempt)] : [] },
    };
    const outcome = {
      ...attempts,
      set: {
        endpointId,
        eventId,
        eventType,
        orgId,
        status,
        event: JSON.stringify(eventOf(delivery)),
        deleteAfter: Math.floor(this.#now().getTime() / 1000) + RETENTION_SECONDS,
        ...(sample && { sample }),
        ...(nextAttemptAt && { nextTryAt: nextAttemptAt }),
        ...(reason && { reason }),
      },
      remove: [...(nextAttemptAt ? [] : ["nextTryAt"]), ...(reason ? [] : ["reason"])],
    };
    if (status === "delivered") return this.#update(delivery, { ...outcome, conditions: [] });
    try {
      await this.#update(delivery, {
        ...outcome,
        ...(resentAt
          ? {
              conditions: ["(attribute_not_exists(#status) OR #status <> :delivered)"],
              values: { ...outcome.values, ":delivered": "delivered" },
            }
          : {
              conditions: ["(attribute_not_exists(#status) OR #status = :pending)"],
              values: { ...outcome.values, ":pending": "pending" },
            }),
      });
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
      if (lastAttempt)
        await this.#update(delivery, { ...attempts, set: {}, conditions: ["attribute_exists(pk)"] });
    }
  }

  async #update({ endpointId, eventId }: Delivery, update: Update): Promise<void> {
    await this.#client.send(
      new UpdateCommand({
        TableName: this.#tableName,
        Key: recordKey(endpointId, eventId),
        ...updateExpression(update),
      }),
    );
  }

  /**
   * An endpoint's deliveries, newest event first: `limit` of them, unless fewer remain.
   *
   * @param after the last event id of the previous page
   */
  async list(
    endpointId: string,
    { limit, after }: { readonly limit: number; readonly after?: string | undefined },
  ): Promise<DeliveryRecord[]> {
    const pages = paginateQuery(
      { client: this.#client, pageSize: limit },
      {
        TableName: this.#tableName,
        KeyConditionExpression: "pk = :pk AND begins_with(sk, :delivery)",
        ExpressionAttributeValues: {
          ":pk": recordKey(endpointId, "").pk,
          ":delivery": recordKey(endpointId, "").sk,
        },
        ScanIndexForward: false,
        ...(after && { ExclusiveStartKey: recordKey(endpointId, after) }),
      },
    );
    const records: DeliveryRecord[] = [];
    for await (const { Items = [] } of pages) {
      records.push(...Items.map((item) => toDeliveryRecord(item)));
      if (records.length >= limit) break;
    }
    return records.slice(0, limit);
  }

  /** A delivery's record with its event; undefined if there is none. */
  async find(endpointId: string, eventId: string): Promise<LoggedDelivery | undefined> {
    if (!isEventId(eventId)) return undefined;
    const { Item } = await this.#client.send(
      new GetCommand({
        TableName: this.#tableName,
        Key: recordKey(endpointId, eventId),
        ConsistentRead: true,
      }),
    );
    return (
      Item && {
        record: toDeliveryRecord(Item),
        event: AbridgedEvent.parse(JSON.parse(Item["event"] as string)),
      }
    );
  }
}

/** A delivery's record and its event. */
export interface LoggedDelivery {
  readonly record: DeliveryRecord;
  readonly event: AbridgedEvent;
}

/** The original names of a record's attributes. Stored attributes are never renamed (docs/data-model.md). */
interface StoredNames {
  readonly tries?: readonly StoredAttempt[];
  readonly nextTryAt?: string;
}

type StoredAttempt = Omit<DeliveryAttempt, "failure"> & { readonly failure?: string | undefined };

/** Converts an item to its record. */
export function toDeliveryRecord(item: Readonly<Record<string, unknown>>): DeliveryRecord {
  const { tries, nextTryAt } = item as StoredNames;
  return DeliveryRecord.parse({
    ...item,
    attempts: tries?.map((attempt) => ({
      ...attempt,
      ...(attempt.failure === "time_out" && { failure: "timeout" }),
    })),
    ...(nextTryAt && { nextAttemptAt: nextTryAt }),
  });
}

function stored(attempt: DeliveryAttempt): StoredAttempt {
  return { ...attempt, ...(attempt.failure === "timeout" && { failure: "time_out" }) };
}

function recordKey(endpointId: string, eventId: string) {
  return { pk: `ENDPOINT#${endpointId}`, sk: `DELIVERY#${eventId}` };
}
