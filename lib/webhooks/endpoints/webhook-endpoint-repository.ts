import {
  ConditionalCheckFailedException,
  TransactionCanceledException,
  TransactionConflictException,
} from "@aws-sdk/client-dynamodb";
import {
  type DynamoDBDocumentClient,
  GetCommand,
  paginateQuery,
  TransactWriteCommand,
  UpdateCommand,
  type UpdateCommandInput,
} from "@aws-sdk/lib-dynamodb";
import pRetry from "p-retry";
import { InvalidRequest, NotFound, ServiceUnavailable } from "#contract/errors";
import { isEndpointId } from "#contract/identifiers";
import {
  ENDPOINTS_PER_ORGANISATION,
  PREVIOUS_SECRET_PERIOD,
  WebhookEndpoint,
  type WebhookEndpointRegistration,
  type WebhookEndpointUpdate,
} from "#contract/webhook-endpoint";
import { updateExpression } from "#runtime/update-expression";
import {
  type EndpointHealth,
  failureCounterOf,
  failureCounters,
  isCounted,
  outdatedFailureCounters,
} from "#webhooks/endpoints/endpoint-health";
import { oldestSealingKeyOf, sealingKeyOf } from "#webhooks/endpoints/secret-box";
import { ENDPOINTS_BY_SEALING_KEY } from "#webhooks/endpoints/webhook-endpoint-index";

/** An endpoint as delivery sees it. */
export interface DeliveryEndpoint extends WebhookEndpoint, EndpointHealth {
  readonly orgId: string;
  /** The signing secret, as `SigningSecrets` seals it. */
  readonly sealedSecret: string;
  /** The secret before the last rotation, sealed too, and until when it goes on signing. */
  readonly previousSealedSecret?: string;
  readonly previousSecretExpiresAt?: string;
  /** The oldest key of the keyring that one of the sealed secrets needs. */
  readonly sealingKeyId: string;
  /** When the organisation last changed it; absent while it is as it was registered. */
  readonly updatedAt?: string;
}

/** How often a write that another one gets in the way of is repeated. */
const CONFLICTS = 8;

/** The webhook endpoints of every organisation; the organisation is their partition key. */
export class WebhookEndpointRepository {
  readonly #client: DynamoDBDocumentClient;
  readonly #tableName: string;
  readonly #now: () => Date;

  constructor(client: DynamoDBDocumentClient, tableName: string, now = () => new Date()) {
    this.#client = client;
    this.#tableName = tableName;
    this.#now = now;
  }

  /**
   * Registers an endpoint. The limit is a condition of the very write.
   *
   * @throws InvalidRequest when the organisation has as many endpoints as it may
   * @throws ServiceUnavailable when too many registrations and deletions of the organisation race
   */
  async register(
    orgId: string,
    id: string,
    registration: WebhookEndpointRegistration,
    sealedSecret: string,
  ): Promise<WebhookEndpoint> {
    const endpoint: WebhookEndpoint = {
      id,
      url: registration.url,
      eventTypes: registration.eventTypes,
      active: true,
      createdAt: this.#now().toISOString(),
      description: registration.description ?? null,
    };
    try {
      await this.#transact(
        new TransactWriteCommand({
          TransactItems: [
            {
              Update: {
                TableName: this.#tableName,
                Key: counterKey(orgId),
                UpdateExpression: "ADD endpoints :one",
                ConditionExpression: "attribute_not_exists(endpoints) OR endpoints < :most",
                ExpressionAttributeValues: { ":one": 1, ":most": ENDPOINTS_PER_ORGANISATION },
              },
            },
            {
              Put: {
                TableName: this.#tableName,
                Item: {
                  ...endpointKey(orgId, endpoint.id),
                  ...endpoint,
                  orgId,
                  sealedSecret,
                  [ENDPOINTS_BY_SEALING_KEY.partitionKey]: sealingKeyOf(sealedSecret),
                },
                ConditionExpression: "attribute_not_exists(pk)",
              },
            },
          ],
        }),
      );
    } catch (error) {
      if (isRefused(error, 0)) {
        throw new InvalidRequest(
          `An organisation may have ${ENDPOINTS_PER_ORGANISATION} webhook endpoints. Delete one first.`,
        );
      }
      throw error;
    }
    return endpoint;
  }

  /** All endpoints of an organisation, oldest first. */
  async list(orgId: string): Promise<DeliveryEndpoint[]> {
    const pages = paginateQuery(
      { client: this.#client },
      {
        TableName: this.#tableName,
        KeyConditionExpression: "pk = :pk AND begins_with(sk, :endpoint)",
        ExpressionAttributeValues: {
          ":pk": endpointKey(orgId, "").pk,
          ":endpoint": endpointKey(orgId, "").sk,
        },
        ConsistentRead: true,
      },
    );
    const endpoints: DeliveryEndpoint[] = [];
    for await (const { Items = [] } of pages) endpoints.push(...(Items as DeliveryEndpoint[]));
    return endpoints.sort((left, right) => left.createdAt.localeCompare(right.createdAt));
  }

  /** The endpoint, or undefined when the organisation has none with this id. */
  async find(orgId: string, endpointId: string): Promise<DeliveryEndpoint | undefined> {
    if (!isEndpointId(endpointId)) return undefined;
    const { Item } = await this.#client.send(
      new GetCommand({
        TableName: this.#tableName,
        Key: endpointKey(orgId, endpointId),
        ConsistentRead: true,
      }),
    );
    return Item as DeliveryEndpoint | undefined;
  }

  /** @throws NotFound when the organisation has no such endpoint */
  async get(orgId: string, endpointId: string): Promise<DeliveryEndpoint> {
    const endpoint = await this.find(orgId, endpointId);
    if (!endpoint) throw noSuchEndpoint();
    return endpoint;
  }

  /**
   * Sets the members that are present and keeps all others, in one request that a deletion is never
   * undone by. A new address, or being made active, also ends the count of failures.
   *
   * @throws NotFound when the organisation has no such endpoint
   * @throws ServiceUnavailable when too many registrations and deletions of the organisation race
   */
  async update(orgId: string, endpointId: string, update: WebhookEndpointUpdate): Promise<DeliveryEndpoint> {
    if (Object.keys(update).length === 0) return this.get(orgId, endpointId);
    if (!isEndpointId(endpointId)) throw noSuchEndpoint();
    const beginsAnew = update.url !== undefined || update.active === true;
    const attributes = await this.#updateExisting(
      orgId,
      endpointId,
      updateExpression({
        set: { ...update, updatedAt: this.#now().toISOString() },
        remove: beginsAnew ? failures(this.#now()) : [],
        conditions: ["attribute_exists(pk)"],
      }),
    );
    if (!attributes) throw noSuchEndpoint();
    return attributes as unknown as DeliveryEndpoint;
  }

  /**
   * Puts a new secret in the place of the present one, which becomes the previous one; a previous one that
   * there was is gone. A repetition whose first answer was lost changes nothing more.
   *
   * @throws NotFound when the organisation has no such endpoint
   * @throws ServiceUnavailable when too many rotations of the same secret race
   */
  async rotateSecret(
    orgId: string,
    endpointId: string,
    sealedSecret: string,
  ): Promise<DeliveryEndpoint & { readonly previousSecretExpiresAt: string }> {
    const previousSecretExpiresAt = new Date(this.#now().getTime() + PREVIOUS_SECRET_PERIOD).toISOString();
    for (let attempt = 0; attempt < CONFLICTS; attempt++) {
      const seen = await this.get(orgId, endpointId);
      if (seen.sealedSecret === sealedSecret) return { ...seen, previousSecretExpiresAt };
      const rotated = {
        sealedSecret,
        previousSealedSecret: seen.sealedSecret,
        previousSecretExpiresAt,
        [ENDPOINTS_BY_SEALING_KEY.partitionKey]: oldestSealingKeyOf([seen.sealedSecret, sealedSecret]),
      };
      const attributes = await this.#updateExisting(
        orgId,
        endpointId,
        updateExpression({
          set: rotated,
          conditions: ["#sealedSecret = :seen"],
          values: { ":seen": seen.sealedSecret },
        }),
      );
      if (attributes) return { ...seen, ...rotated };
    }
    throw new ServiceUnavailable();
  }

  /** @throws NotFound when the organisation has no such endpoint */
  async delete(orgId: string, endpointId: string): Promise<void> {
    if (!isEndpointId(endpointId)) throw noSuchEndpoint();
    try {
      await this.#transact(
        new TransactWriteCommand({
          TransactItems: [
            {
              Delete: {
                TableName: this.#tableName,
                Key: endpointKey(orgId, endpointId),
                ConditionExpression: "attribute_exists(pk)",
              },
            },
            {
              Update: {
                TableName: this.#tableName,
                Key: counterKey(orgId),
                UpdateExpression: "ADD endpoints :minusOne",
                ExpressionAttributeValues: { ":minusOne": -1 },
              },
            },
          ],
        }),
      );
    } catch (error) {
      if (isRefused(error, 0)) throw noSuchEndpoint();
      throw error;
    }
  }

  /** Records that an attempt succeeded: failures that went on end here. */
  async succeeded({ orgId, id, failingSince }: DeliveryEndpoint): Promise<void> {
    if (failingSince === undefined) return;
    await this.#updateExisting(orgId, id, { UpdateExpression: `REMOVE ${failures(this.#now()).join(", ")}` });
  }

  /**
   * Records that an attempt failed, unless it would decide nothing: the item of an endpoint that fails a
   * thousand times a second is not written a thousand times.
   *
   * @param endpoint as it was read before the attempt
   * @returns the endpoint as it is then, or undefined when it is gone
   */
  async failed(endpoint: DeliveryEndpoint): Promise<DeliveryEndpoint | undefined> {
    const now = this.#now();
    if (isCounted(endpoint, now)) return endpoint;
    const outdated = outdatedFailureCounters(endpoint, now);
    const attributes = await this.#updateExisting(endpoint.orgId, endpoint.id, {
      UpdateExpression: [
        "SET failingSince = if_not_exists(failingSince, :since)",
        `ADD ${failureCounterOf(now)} :one`,
        ...(outdated.length > 0 ? [`REMOVE ${outdated.join(", ")}`] : []),
      ].join(" "),
      ExpressionAttributeValues: { ":since": now.toISOString(), ":one": 1 },
    });
    return attributes as DeliveryEndpoint | undefined;
  }

  /**
   * Stops deliveries to an endpoint until it is made active again. What an attempt found out says nothing of an
   * endpoint that the organisation has changed since: that one is left as it is.
   *
   * @param failingSince when given, the failures that must still go on: a success meanwhile ends them
   * @returns whether this call stopped them
   */
  async deactivate({ orgId, id, updatedAt }: DeliveryEndpoint, failingSince?: string): Promise<boolean> {
    const attributes = await this.#updateExisting(orgId, id, {
      UpdateExpression: "SET active = :inactive",
      ConditionExpression: [
        "attribute_exists(pk)",
        "active = :active",
        updatedAt ? "updatedAt = :seen" : "attribute_not_exists(updatedAt)",
        ...(failingSince ? ["failingSince = :failingSince"] : []),
      ].join(" AND "),
      ExpressionAttributeValues: {
        ":active": true,
        ":inactive": false,
        ...(updatedAt && { ":seen": updatedAt }),
        ...(failingSince && { ":failingSince": failingSince }),
      },
    });
    return attributes !== undefined;
  }

  /** Endpoints one of whose secrets the key has sealed; eventually consistent, as an index is. */
  async *sealedWith(keyId: string): AsyncGenerator<Pick<DeliveryEndpoint, "orgId" | "id">> {
    const pages = paginateQuery(
      { client: this.#client },
      {
        TableName: this.#tableName,
        IndexName: ENDPOINTS_BY_SEALING_KEY.indexName,
        KeyConditionExpression: "#keyId = :keyId",
        ExpressionAttributeNames: { "#keyId": ENDPOINTS_BY_SEALING_KEY.partitionKey },
        ExpressionAttributeValues: { ":keyId": keyId },
      },
    );
    for await (const { Items = [] } of pages) yield* Items as Pick<DeliveryEndpoint, "orgId" | "id">[];
  }

  /** Puts other ciphertexts in the place of those that were read. False when those are gone meanwhile. */
  async reseal(
    { orgId, id, sealedSecret: sealed }: DeliveryEndpoint,
    sealedSecret: string,
    previousSealedSecret?: string,
  ): Promise<boolean> {
    const previous = previousSealedSecret === undefined ? {} : { previousSealedSecret };
    const attributes = await this.#updateExisting(
      orgId,
      id,
      updateExpression({
        set: {
          sealedSecret,
          ...previous,
          [ENDPOINTS_BY_SEALING_KEY.partitionKey]: oldestSealingKeyOf([
            sealedSecret,
            ...Object.values(previous),
          ]),
        },
        conditions: ["#sealedSecret = :sealed"],
        values: { ":sealed": sealed },
      }),
    );
    return attributes !== undefined;
  }

  /** Transactions of one organisation meet on its counter. */
  async #transact(command: TransactWriteCommand): Promise<void> {
    await untilNoConflict(() => this.#client.send(command));
  }

  async #updateExisting(
    orgId: string,
    endpointId: string,
    update: Partial<UpdateCommandInput>,
  ): Promise<Record<string, unknown> | undefined> {
    const command = new UpdateCommand({
      TableName: this.#tableName,
      Key: endpointKey(orgId, endpointId),
      ConditionExpression: "attribute_exists(pk)",
      ReturnValues: "ALL_NEW",
      ...update,
    });
    try {
      const { Attributes } = await untilNoConflict(() => this.#client.send(command));
      return Attributes;
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return undefined;
      throw error;
    }
  }
}

/**
 * Repeats a write that a transaction on the same item got in the way of.
 *
 * @throws ServiceUnavailable when it is in the way too often
 */
async function untilNoConflict<Output>(write: () => Promise<Output>): Promise<Output> {
  try {
    return await pRetry(write, {
      retries: CONFLICTS,
      minTimeout: 20,
      maxTimeout: 500,
      randomize: true,
      shouldRetry: ({ error }) => isConflict(error),
    });
  } catch (error) {
    throw isConflict(error) ? new ServiceUnavailable({ cause: error }) : error;
  }
}

function isConflict(error: unknown): boolean {
  if (error instanceof TransactionConflictException) return true;
  return (
    error instanceof TransactionCanceledException &&
    error.CancellationReasons?.some(({ Code }) => Code === "TransactionConflict") === true
  );
}

/** The attributes that hold an endpoint's failures. */
function failures(now: Date): string[] {
  return ["failingSince", ...failureCounters(now)];
}

/** What integrators see of an endpoint. A list of what goes out, like the candidate's projection. */
export function toWebhookEndpoint(endpoint: DeliveryEndpoint): WebhookEndpoint {
  return WebhookEndpoint.parse(endpoint);
}

function endpointKey(orgId: string, endpointId: string) {
  return { pk: `ORGANISATION#${orgId}`, sk: `ENDPOINT#${endpointId}` };
}

/** Counts an organisation's endpoints, so that the limit is a condition of the very write. */
function counterKey(orgId: string) {
  return { pk: `ORGANISATION#${orgId}`, sk: "ENDPOINTS" };
}

function noSuchEndpoint(): NotFound {
  return new NotFound("Your organisation has no webhook endpoint with this id.");
}

function isRefused(error: unknown, item: number): boolean {
  return (
    error instanceof TransactionCanceledException &&
    error.CancellationReasons?.[item]?.Code === "ConditionalCheckFailed"
  );
}
