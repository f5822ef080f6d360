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
import { DAY } from "#runtime/durations";
import { timeToLive } from "#runtime/time-to-live";
import { type Update, updateExpression } from "#runtime/update-expression";
import { type Delivery, eventOf } from "#webhooks/delivery/delivery";
import {
  deliveryRecordKey,
  PARTITION_KEYS,
  partitionKeysOf,
  sortKeyOf,
} from "#webhooks/delivery/delivery-record-key";

/** How long a delivery's record is kept, in ms. */
const RETENTION_MS = 30 * DAY;

/** The record of an event's delivery to an endpoint, as stored: ids, times and outcomes; no response bodies. */
export const DeliveryRecord = z.extend(WebhookDelivery, { endpointId: z.string(), orgId: z.string() });
export type DeliveryRecord = z.infer<typeof DeliveryRecord>;

/** A delivery's new status, and the attempt, if one was made. */
export interface RecordedOutcome {
  readonly status: DeliveryStatus;
  readonly lastAttempt?: DeliveryAttempt;
  readonly nextAttemptAt?: string;
  /** Why it was dropped; absent if the endpoint is the reason. */
  readonly reason?: DropReason;
}

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
   * pending again because of a late duplicate, and a delivered one stays delivered even if it is sent again. One that
   * was resent while it had attempts left ends with the later run. A second request then records only the attempt. An
   * attempt is recorded once, also if the SDK repeats a request whose response was lost.
   */
  async record(
    delivery: Delivery,
    { status, lastAttempt, nextAttemptAt, reason }: RecordedOutcome,
  ): Promise<void> {
    const { endpointId, eventId, eventType, orgId, sample } = delivery;
    const attempt = attemptUpdate(lastAttempt);
    const guard = statusGuard(status, delivery);
    const isRecorded = await this.#update(delivery, {
      assign: attempt.assign,
      set: {
        ...attempt.set,
        endpointId,
        eventId,
        eventType,
        orgId,
        status,
        event: JSON.stringify(eventOf(delivery)),
        deleteAfter: timeToLive(this.#now().getTime() + RETENTION_MS),
        ...(sample && { sample }),
        ...(nextAttemptAt && { nextAttemptAt }),
        ...(reason && { reason }),
      },
      remove: [...(nextAttemptAt ? [] : ["nextAttemptAt"]), ...(reason ? [] : ["reason"])],
      conditions: [...attempt.conditions, ...guard.conditions],
      values: { ...attempt.values, ...guard.values },
    });
    if (isRecorded || !lastAttempt) return;
    await this.#update(delivery, { ...attempt, conditions: ["attribute_exists(pk)", ...attempt.conditions] });
  }

  /** @returns whether the conditions held */
  async #update({ endpointId, eventId }: Delivery, update: Update): Promise<boolean> {
    const command = new UpdateCommand({
      TableName: this.#tableName,
      Key: deliveryRecordKey(endpointId, eventId),
      ...updateExpression(update),
    });
    try {
      await this.#client.send(command);
      return true;
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return false;
      throw error;
    }
  }

  /**
   * An endpoint's deliveries, newest event first: `limit` of them, unless fewer remain.
   *
   * @param after the last event id of the previous page
   */
  list(
    endpointId: string,
    { limit, after }: { readonly limit: number; readonly after?: string | undefined },
  ): Promise<DeliveryRecord[]> {
    // With twice its share from each partition key, hardly any has to be queried again.
    const pageSize = Math.ceil((2 * limit) / PARTITION_KEYS);
    const partitions = partitionKeysOf(endpointId).map((pk) => this.#recordsOf(pk, pageSize, after));
    return newestOf(partitions, limit);
  }

  /** The records of one partition key, newest event first. */
  async *#recordsOf(pk: string, pageSize: number, after?: string): AsyncGenerator<DeliveryRecord> {
    const pages = paginateQuery(
      { client: this.#client, pageSize },
      {
        TableName: this.#tableName,
        KeyConditionExpression: "pk = :pk AND begins_with(sk, :delivery)",
        ExpressionAttributeValues: { ":pk": pk, ":delivery": sortKeyOf("") },
        ScanIndexForward: false,
        ...(after && { ExclusiveStartKey: { pk, sk: sortKeyOf(after) } }),
      },
    );
    for await (const { Items = [] } of pages) yield* Items.map((item) => DeliveryRecord.parse(item));
  }

  /** A delivery's record with its event; undefined if there is none. */
  async find(endpointId: string, eventId: string): Promise<LoggedDelivery | undefined> {
    if (!isEventId(eventId)) return undefined;
    const { Item } = await this.#client.send(
      new GetCommand({
        TableName: this.#tableName,
        Key: deliveryRecordKey(endpointId, eventId),
        ConsistentRead: true,
      }),
    );
    return (
      Item && {
        record: DeliveryRecord.parse(Item),
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

type UpdatePart = Required<Pick<Update, "set" | "assign" | "conditions" | "values">>;

/** Adds an attempt to a record, unless it is the last one in it. */
function attemptUpdate(attempt: DeliveryAttempt | undefined): UpdatePart {
  const assign = { attempts: "list_append(if_not_exists(#attempts, :none), :attempts)" };
  if (!attempt) return { set: {}, assign, conditions: [], values: { ":none": [], ":attempts": [] } };
  return {
    // Two duplicates in a batch may be attempted in the same millisecond, so the time alone does not identify one.
    set: { lastAttempt: JSON.stringify(attempt) },
    assign,
    conditions: ["(attribute_not_exists(#lastAttempt) OR #lastAttempt <> :lastAttempt)"],
    values: { ":none": [], ":attempts": [attempt] },
  };
}

/** The conditions that a record's status may be replaced by a new one. */
function statusGuard(
  status: DeliveryStatus,
  { resentAt, dueAt }: Delivery,
): Pick<UpdatePart, "conditions" | "values"> {
  if (status === "delivered") return { conditions: [], values: {} };
  // A resent delivery begins again, unless it has been acknowledged.
  const [isReplaced, former] = resentAt
    ? ["#status <> :former", "delivered"]
    : ["#status = :former", "pending"];
  const conditions = [`(attribute_not_exists(#status) OR ${isReplaced})`];
  if (status === "pending") return { conditions, values: { ":former": former } };
  // An attempt that is due later belongs to another run, which has not ended.
  const hasEnded = "(attribute_not_exists(#nextAttemptAt) OR #nextAttemptAt <= :dueAt)";
  return { conditions: [...conditions, hasEnded], values: { ":former": former, ":dueAt": dueAt } };
}

/** The newest record of a partition key that is not in the list yet, and those after it. */
interface Head {
  readonly record: DeliveryRecord;
  readonly rest: AsyncGenerator<DeliveryRecord>;
}

/** The newest `limit` records of all partition keys, each of which yields the newest first. */
async function newestOf(
  partitions: readonly AsyncGenerator<DeliveryRecord>[],
  limit: number,
): Promise<DeliveryRecord[]> {
  const records: DeliveryRecord[] = [];
  let heads = await headsOf(partitions);
  while (heads.length > 0) {
    const newest = heads.reduce((left, right) => (left.record.eventId > right.record.eventId ? left : right));
    records.push(newest.record);
    if (records.length >= limit) break;
    heads = [...heads.filter((head) => head !== newest), ...(await headsOf([newest.rest]))];
  }
  return records;
}

async function headsOf(partitions: readonly AsyncGenerator<DeliveryRecord>[]): Promise<Head[]> {
  const heads = await Promise.all(
    partitions.map(async (rest) => {
      const next = await rest.next();
      return next.done ? [] : [{ record: next.value, rest }];
    }),
  );
  return heads.flat();
}
