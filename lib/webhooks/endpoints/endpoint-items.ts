import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { type DynamoDBDocumentClient, GetCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { NotFound } from "#contract/errors";
import { isEndpointId } from "#contract/identifiers";
import { type Update, updateExpression } from "#runtime/update-expression";
import type { DeliveryEndpoint } from "#webhooks/endpoints/delivery-endpoint";
import { untilNoConflict } from "#webhooks/endpoints/write-conflicts";

/** Reads and updates the items of endpoints in the table, one request each. */
export class EndpointItems {
  readonly #client: DynamoDBDocumentClient;
  readonly #tableName: string;

  constructor(client: DynamoDBDocumentClient, tableName: string) {
    this.#client = client;
    this.#tableName = tableName;
  }

  /** The endpoint, or undefined if the organisation has none with this id. */
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

  /** @throws NotFound if the organisation has no such endpoint */
  async get(orgId: string, endpointId: string): Promise<DeliveryEndpoint> {
    const endpoint = await this.find(orgId, endpointId);
    if (!endpoint) throw noSuchEndpoint();
    return endpoint;
  }

  /** The attributes after an update, or undefined if its conditions fail. One of them must be that it exists. */
  async update(
    orgId: string,
    endpointId: string,
    update: Update,
  ): Promise<Record<string, unknown> | undefined> {
    const command = new UpdateCommand({
      TableName: this.#tableName,
      Key: endpointKey(orgId, endpointId),
      ReturnValues: "ALL_NEW",
      ...updateExpression(keepingNoOldEvent(update)),
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

export function endpointKey(orgId: string, endpointId: string) {
  return { pk: `ORGANISATION#${orgId}`, sk: `ENDPOINT#${endpointId}` };
}

/** The organisation in the partition key of an endpoint, or undefined for an item of another kind. */
export function organisationOf(partitionKey: string | undefined): string | undefined {
  return /^ORGANISATION#(.+)$/.exec(partitionKey ?? "")?.[1];
}

/**
 * The update of an endpoint's item as it must be made. An `event` that stayed in the item would be published again
 * with every later write.
 */
function keepingNoOldEvent({ remove = [], ...update }: Update): Update {
  return { ...update, remove: "event" in update.set ? remove : [...remove, "event"] };
}

export function noSuchEndpoint(): NotFound {
  return new NotFound("Your organisation has no webhook endpoint with this id.");
}
