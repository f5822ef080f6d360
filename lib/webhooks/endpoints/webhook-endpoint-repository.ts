import { type DynamoDBDocumentClient, GetCommand, paginateQuery } from "@aws-sdk/lib-dynamodb";
import { InvalidRequest } from "#contract/errors";
import { isEndpointId } from "#contract/identifiers";
import {
  ENDPOINTS_PER_ORGANISATION,
  type WebhookEndpoint,
  type WebhookEndpointRegistration,
  type WebhookEndpointUpdate,
} from "#contract/webhook-endpoint";
import { LOST, optimisticRetry } from "#runtime/optimistic-retry";
import { updateExpression } from "#runtime/update-expression";
import { DISABLED_ATTRIBUTES, failureAttributes } from "#webhooks/endpoints/endpoint-health";
import { EndpointItems, noSuchEndpoint } from "#webhooks/endpoints/endpoint-items";
import { endpointKey, versionsKey } from "#webhooks/endpoints/endpoint-key";
import { type EndpointVersions, parseEndpointItem, parseVersionsItem } from "#webhooks/endpoints/parse-items";
import { ENDPOINTS_BY_SEALING_KEY } from "#webhooks/endpoints/sealing-key-index";
import { sealingKeyIdOf } from "#webhooks/endpoints/secret-box";
import type { StoredEndpoint } from "#webhooks/endpoints/stored-endpoint";
import { transact } from "#webhooks/endpoints/transaction";

/** The most attempts at an update while other ones change the address first. */
const UPDATE_ATTEMPTS = 8;

/** Webhook endpoints across organisations. The organisation is the partition key. */
export class WebhookEndpointRepository {
  readonly #client: DynamoDBDocumentClient;
  readonly #tableName: string;
  readonly #items: EndpointItems;
  readonly #now: () => Date;

  constructor(client: DynamoDBDocumentClient, tableName: string, now: () => Date) {
    this.#client = client;
    this.#tableName = tableName;
    this.#items = new EndpointItems(client, tableName);
    this.#now = now;
  }

  /**
   * Registers an endpoint, and checks the organisation's limit in the same write. It is unproven until it has
   * acknowledged a delivery: fifty new endpoints that never respond would otherwise occupy the delivery queue.
   *
   * @throws InvalidRequest if the organisation has reached the limit
   * @throws ServiceUnavailable if too many registrations and deletions of the organisation race
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
    const isRegistered = await transact(this.#client, [
      {
        Update: {
          TableName: this.#tableName,
          Key: versionsKey(orgId),
          ...updateExpression({
            set: { [id]: 1 },
            add: { endpoints: 1 },
            conditions: ["(attribute_not_exists(#endpoints) OR #endpoints < :most)"],
            values: { ":most": ENDPOINTS_PER_ORGANISATION },
          }),
        },
      },
      {
        Put: {
          TableName: this.#tableName,
          Item: {
            ...endpointKey(orgId, endpoint.id),
            ...endpoint,
            orgId,
            version: 1,
            unprovenSince: endpoint.createdAt,
            sealedSecret,
            [ENDPOINTS_BY_SEALING_KEY.partitionKey]: sealingKeyIdOf(sealedSecret),
          },
          ConditionExpression: "attribute_not_exists(pk)",
        },
      },
    ]);
    if (!isRegistered) {
      throw new InvalidRequest(
        `The organisation already has ${ENDPOINTS_PER_ORGANISATION} webhook endpoints. Delete one first.`,
      );
    }
    return endpoint;
  }

  /** All endpoints of an organisation, oldest first. */
  async list(orgId: string): Promise<readonly StoredEndpoint[]> {
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
    const endpoints: StoredEndpoint[] = [];
    for await (const { Items = [] } of pages) endpoints.push(...Items.map(parseEndpointItem));
    return endpoints.sort((left, right) => left.createdAt.localeCompare(right.createdAt));
  }

  /** The versions of an organisation's endpoints, read with strong consistency from one small item. */
  async versions(orgId: string): Promise<EndpointVersions> {
    const { Item = {} } = await this.#client.send(
      new GetCommand({ TableName: this.#tableName, Key: versionsKey(orgId), ConsistentRead: true }),
    );
    return parseVersionsItem(Item);
  }

  /** The endpoint, or undefined if the organisation has none with this id. */
  find(orgId: string, endpointId: string): Promise<StoredEndpoint | undefined> {
    return this.#items.find(orgId, endpointId);
  }

  /** @throws NotFound if the organisation has no such endpoint */
  get(orgId: string, endpointId: string): Promise<StoredEndpoint> {
    return this.#items.get(orgId, endpointId);
  }

  /**
   * Sets the members that are present and keeps all others, in one write that cannot restore a deleted endpoint.
   * Another address or an activation also resets the failures, but makes no endpoint fast: repeated changes could
   * otherwise keep a slow one in the delivery queue. Another address is unproven like a new endpoint, whatever attempts
   * at the former one respond: their writes expect the pace that they have seen. When and why the endpoint was first
   * set inactive is kept until it is active again.
   *
   * @throws NotFound if the organisation has no such endpoint
   * @throws ServiceUnavailable if too many registrations and deletions of the organisation, or changes of the address,
   *   race
   */
  async update(orgId: string, endpointId: string, update: WebhookEndpointUpdate): Promise<StoredEndpoint> {
    if (Object.keys(update).length === 0) return this.get(orgId, endpointId);
    if (!isEndpointId(endpointId)) throw noSuchEndpoint();
    await optimisticRetry(UPDATE_ATTEMPTS)(() => this.#tryToUpdate(orgId, endpointId, update));
    return this.get(orgId, endpointId);
  }

  /**
   * One attempt. Whether the address is another one depends on the present one, so an update of the address reads that
   * first, and is lost if it has changed since.
   */
  async #tryToUpdate(
    orgId: string,
    endpointId: string,
    update: WebhookEndpointUpdate,
  ): Promise<undefined | typeof LOST> {
    const former = update.url === undefined ? undefined : (await this.get(orgId, endpointId)).url;
    const isMoved = update.url !== former;
    const isActivated = update.active === true;
    const updatedAt = this.#now().toISOString();
    const isUpdated = await this.#items.updateAndRaiseVersion(orgId, endpointId, {
      set: { ...update, updatedAt, ...(isMoved && { unprovenSince: updatedAt }) },
      ...(update.active === false && {
        assign: {
          // What it has not acknowledged while it failed may be missed too.
          missedSince: "if_not_exists(#missedSince, if_not_exists(#failingSince, :updatedAt))",
          disabledAt: "if_not_exists(#disabledAt, :updatedAt)",
          disabledReason: "if_not_exists(#disabledReason, :byRequest)",
        },
      }),
      remove: [
        ...(isMoved || isActivated ? failureAttributes(this.#now()) : []),
        ...(isActivated ? DISABLED_ATTRIBUTES : []),
      ],
      conditions: former === undefined ? [] : ["#url = :former"],
      values: {
        ...(update.active === false && { ":byRequest": "by_request" }),
        ...(former !== undefined && { ":former": former }),
      },
    });
    if (isUpdated) return undefined;
    if (former === undefined) throw noSuchEndpoint();
    return LOST;
  }

  /** @throws NotFound if the organisation has no such endpoint */
  async delete(orgId: string, endpointId: string): Promise<void> {
    if (!isEndpointId(endpointId)) throw noSuchEndpoint();
    const isDeleted = await transact(this.#client, [
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
          Key: versionsKey(orgId),
          ...updateExpression({ add: { endpoints: -1 }, remove: [endpointId], conditions: [] }),
        },
      },
    ]);
    if (!isDeleted) throw noSuchEndpoint();
  }
}
