import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import {
  type DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  UpdateCommand,
  type UpdateCommandInput,
} from "@aws-sdk/lib-dynamodb";
import * as z from "zod/mini";
import { NotFound } from "#contract/errors";
import { isRecoveryId } from "#contract/identifiers";
import { LOST, optimisticRetry } from "#runtime/optimistic-retry";
import { ownWrite } from "#runtime/own-write";
import { timeToLive } from "#runtime/time-to-live";
import { updateExpression } from "#runtime/update-expression";
import { keepingNoOldEvent } from "#webhooks/endpoints/endpoint-items";
import { endpointKey } from "#webhooks/endpoints/endpoint-key";
import { transact } from "#webhooks/endpoints/transaction";
import { latestOf, RETENTION_MS, StoredRecovery, toRecovery } from "#webhooks/recoveries/stored-recovery";

/** The most attempts to start a recovery while others of the endpoint begin or end. */
const START_ATTEMPTS = 5;

/** What a step of a recovery changes. */
export type Progress = Partial<
  Pick<
    StoredRecovery,
    | "status"
    | "found"
    | "sent"
    | "latestFound"
    | "position"
    | "eventsRead"
    | "pacedUntil"
    | "receives"
    | "endedAt"
    | "reason"
  >
>;

/** The item that names an endpoint's latest recovery. */
const LatestRecovery = z.object({ recoveryId: z.string() });

/** The recoveries of the last 30 days, and which is the latest of each endpoint. */
export class RecoveryRepository {
  readonly #client: DynamoDBDocumentClient;
  readonly #tableName: string;
  readonly #now: () => Date;

  constructor(client: DynamoDBDocumentClient, tableName: string, now: () => Date) {
    this.#client = client;
    this.#tableName = tableName;
    this.#now = now;
  }

  /**
   * Stores a new recovery, unless another one of the endpoint is running. Its first delivery is due after the last one
   * of the recovery before, which may still wait in the queue: the pace is the endpoint's.
   *
   * @returns the running one, if there is one
   * @throws ServiceUnavailable if too many of the endpoint's begin at once
   */
  async start(recovery: StoredRecovery): Promise<StoredRecovery | undefined> {
    return optimisticRetry(START_ATTEMPTS)(() => this.#tryToStart(recovery));
  }

  async #tryToStart(recovery: StoredRecovery): Promise<StoredRecovery | undefined | typeof LOST> {
    const { endpointId, id } = recovery;
    const latest = await this.#latest(endpointId);
    if (latest === id) return undefined;
    const former = latest === undefined ? undefined : await this.find(endpointId, latest);
    if (former && toRecovery(former, this.#now()).status === "running") return former;
    const TableName = this.#tableName;
    const item = itemOf({ ...recovery, pacedUntil: laterOf(recovery.pacedUntil, former?.pacedUntil) });
    const named = { ...latestKey(endpointId), recoveryId: id, deleteAfter: item.deleteAfter };
    const isStarted = await transact(this.#client, [
      {
        Put: {
          TableName,
          Item: named,
          ...(latest === undefined
            ? { ConditionExpression: "attribute_not_exists(pk)" }
            : {
                ConditionExpression: "attribute_not_exists(pk) OR recoveryId = :latest",
                ExpressionAttributeValues: { ":latest": latest },
              }),
        },
      },
      { Put: { TableName, Item: item } },
    ]);
    // Otherwise another one began since, or this one did although the response was lost.
    return isStarted ? undefined : LOST;
  }

  /**
   * Ends a recovery that has just been stored, because the queue has not acknowledged its message.
   *
   * @returns false if the recovery has recorded its first page: the queue has the message, and only its response was
   *   lost
   */
  async withdraw({ endpointId, id }: StoredRecovery, reason: string): Promise<boolean> {
    const stored = await this.get(endpointId, id);
    const ended = { ...stored, status: "failed" as const, endedAt: this.#now().toISOString(), reason };
    const command = new PutCommand({
      TableName: this.#tableName,
      Item: itemOf(ended),
      ConditionExpression: "receives = :none",
      ExpressionAttributeValues: { ":none": 0 },
    });
    try {
      await this.#client.send(command);
      return true;
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return false;
      throw error;
    }
  }

  async #latest(endpointId: string): Promise<string | undefined> {
    const { Item } = await this.#client.send(
      new GetCommand({ TableName: this.#tableName, Key: latestKey(endpointId), ConsistentRead: true }),
    );
    return Item && LatestRecovery.parse(Item).recoveryId;
  }

  /** Whether no other recovery of the endpoint has begun since. */
  async isLatest({ endpointId, id }: StoredRecovery): Promise<boolean> {
    return (await this.#latest(endpointId)) === id;
  }

  /** The recovery, or undefined if the endpoint has none with this id. */
  async find(endpointId: string, recoveryId: string): Promise<StoredRecovery | undefined> {
    if (!isRecoveryId(recoveryId)) return undefined;
    const { Item } = await this.#client.send(
      new GetCommand({
        TableName: this.#tableName,
        Key: recoveryKey(endpointId, recoveryId),
        ConsistentRead: true,
      }),
    );
    return Item && StoredRecovery.parse(Item);
  }

  /** @throws NotFound if the endpoint has no such recovery */
  async get(endpointId: string, recoveryId: string): Promise<StoredRecovery> {
    const recovery = await this.find(endpointId, recoveryId);
    if (!recovery)
      throw new NotFound(
        "The endpoint has no recovery with this id in the last 30 days. Check the id, or start another recovery.",
      );
    return recovery;
  }

  /**
   * Records a step of a running recovery, unless another run has recorded one since it was read. One that completes
   * also removes what the endpoint has missed.
   *
   * @returns the recovery after the step, also if its response was lost and a repetition refused; undefined if another
   *   run has recorded one
   */
  async advance(recovery: StoredRecovery, progress: Progress): Promise<StoredRecovery | undefined> {
    const { endpointId, id, position, eventsRead } = recovery;
    const set = { ...progress, progressAt: this.#now().toISOString() };
    const step = {
      TableName: this.#tableName,
      Key: recoveryKey(endpointId, id),
      ...updateExpression({
        set,
        conditions: ["#status = :running", "#position = :formerPosition", "#eventsRead = :formerEventsRead"],
        values: { ":running": "running", ":formerPosition": position, ":formerEventsRead": eventsRead },
      }),
    };
    try {
      const isRecorded = progress.status === "completed" && (await this.#endMissed(recovery, step));
      if (!isRecorded) {
        await this.#client.send(
          new UpdateCommand({ ...step, ReturnValuesOnConditionCheckFailure: "ALL_OLD" }),
        );
      }
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
      if (!ownWrite(error, { set })) return undefined;
    }
    return { ...recovery, ...set };
  }

  /**
   * Removes what the endpoint has missed together with the last step of the recovery that sends it. If the endpoint has
   * been changed or set inactive since the recovery's end, it may have missed more.
   *
   * @returns whether both were recorded
   */
  async #endMissed(
    { orgId, endpointId, missedSince, until }: StoredRecovery,
    step: UpdateCommandInput & { readonly UpdateExpression: string },
  ): Promise<boolean> {
    if (missedSince === undefined) return false;
    const endpoint = {
      TableName: this.#tableName,
      Key: endpointKey(orgId, endpointId),
      ...updateExpression(
        keepingNoOldEvent({
          remove: ["missedSince"],
          conditions: ["missedSince = :missedSince", "active = :active", "updatedAt <= :latest"],
          values: { ":missedSince": missedSince, ":active": true, ":latest": latestOf(until) },
        }),
      ),
    };
    return transact(this.#client, [{ Update: step }, { Update: endpoint }], [0, 1]);
  }
}

function itemOf(recovery: StoredRecovery) {
  const { endpointId, id, startedAt } = recovery;
  const deleteAfter = timeToLive(Date.parse(startedAt) + RETENTION_MS);
  return { ...recoveryKey(endpointId, id), ...recovery, deleteAfter };
}

function recoveryKey(endpointId: string, recoveryId: string) {
  return { pk: `ENDPOINT#${endpointId}`, sk: `RECOVERY#${recoveryId}` };
}

/** The key of the item that names an endpoint's latest recovery. */
function latestKey(endpointId: string) {
  return { pk: `ENDPOINT#${endpointId}`, sk: "RECOVERY" };
}

function laterOf(moment: string, other = moment): string {
  return other > moment ? other : moment;
}
