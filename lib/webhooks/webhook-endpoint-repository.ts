import { ConditionalCheckFailedException, TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import {
  type DynamoDBDocumentClient,
  GetCommand,
  paginateQuery,
  TransactWriteCommand,
  UpdateCommand,
} from "@aws-sdk/lib-dynamodb";
import pRetry from "p-retry";
import { InvalidRequest, NotFound, ServiceUnavailable } from "#contract/errors";
import { isEndpointId } from "#contract/identifiers";
import {
  ENDPOINTS_PER_ORGANISATION,
  WebhookEndpoint,
  type WebhookEndpointRegistration,
} from "#contract/webhook-endpoint";

/** An endpoint as delivery sees it. */
export interface DeliveryEndpoint extends WebhookEndpoint {
  readonly orgId: string;
  /** The signing secret, as `SigningSecrets` seals it. */
  readonly sealedSecret: string;
  /** When the failures that go on now began; absent while tries succeed. */
  readonly failingSince?: string;
}

/** How often a transaction that meets another is repeated. */
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
                Item: { ...endpointKey(orgId, endpoint.id), ...endpoint, orgId, sealedSecret },
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

  /** Notes that a try succeeded: failures that went on end here. */
  async succeeded({ orgId, id, failingSince }: DeliveryEndpoint): Promise<void> {
    if (failingSince === undefined) return;
    await this.#updateExisting(orgId, id, { UpdateExpression: "REMOVE failingSince" });
  }

  /**
   * Notes that a try failed.
   *
   * @returns since when every try has failed, or undefined when the endpoint is gone
   */
  async failed({ orgId, id }: DeliveryEndpoint): Promise<string | undefined> {
    const since = this.#now().toISOString();
    const attributes = await this.#updateExisting(orgId, id, {
      UpdateExpression: "SET failingSince = if_not_exists(failingSince, :since)",
      ExpressionAttributeValues: { ":since": since },
    });
    return attributes?.["failingSince"] as string | undefined;
  }

  /** Stops deliveries to an endpoint until it is made active again. */
  async deactivate({ orgId, id }: DeliveryEndpoint): Promise<void> {
    await this.#updateExisting(orgId, id, {
      UpdateExpression: "SET active = :inactive",
      ExpressionAttributeValues: { ":inactive": false },
    });
  }

  /** Repeats a transaction that another one on the same counter got in the way of. */
  async #transact(command: TransactWriteCommand): Promise<void> {
    const conflict = (error: unknown) =>
      error instanceof TransactionCanceledException &&
      error.CancellationReasons?.some(({ Code }) => Code === "TransactionConflict") === true;
    try {
      await pRetry(() => this.#client.send(command), {
        retries: CONFLICTS,
        minTimeout: 20,
        maxTimeout: 500,
        randomize: true,
        shouldRetry: ({ error }) => conflict(error),
      });
    } catch (error) {
      throw conflict(error) ? new ServiceUnavailable({ cause: error }) : error;
    }
  }

  async #updateExisting(
    orgId: string,
    endpointId: string,
    update: {
      readonly UpdateExpression: string;
      readonly ExpressionAttributeValues?: Record<string, unknown>;
    },
  ): Promise<Record<string, unknown> | undefined> {
    try {
      const { Attributes } = await this.#client.send(
        new UpdateCommand({
          TableName: this.#tableName,
          Key: endpointKey(orgId, endpointId),
          ConditionExpression: "attribute_exists(pk)",
          ReturnValues: "ALL_NEW",
          ...update,
        }),
      );
      return Attributes;
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return undefined;
      throw error;
    }
  }
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
