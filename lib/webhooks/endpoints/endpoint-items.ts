import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { type DynamoDBDocumentClient, GetCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { NotFound } from "#contract/errors";
import { isEndpointId } from "#contract/identifiers";
import { ownWrite } from "#runtime/own-write";
import { type Update, updateExpression } from "#runtime/update-expression";
import { endpointKey, versionsKey } from "#webhooks/endpoints/endpoint-key";
import { parseEndpointItem } from "#webhooks/endpoints/parse-items";
import type { StoredEndpoint } from "#webhooks/endpoints/stored-endpoint";
import { transact, untilNoConflict } from "#webhooks/endpoints/transaction";

/** Reads and updates the items of endpoints in the table, one request each. */
export class EndpointItems {
  readonly #client: DynamoDBDocumentClient;
  readonly #tableName: string;

  constructor(client: DynamoDBDocumentClient, tableName: string) {
    this.#client = client;
    this.#tableName = tableName;
  }

  /** The endpoint, or undefined if the organisation has none with this id. */
  async find(orgId: string, endpointId: string): Promise<StoredEndpoint | undefined> {
    if (!isEndpointId(endpointId)) return undefined;
    const { Item } = await this.#client.send(
      new GetCommand({
        TableName: this.#tableName,
        Key: endpointKey(orgId, endpointId),
        ConsistentRead: true,
      }),
    );
    return Item && parseEndpointItem(Item);
  }

  /** @throws NotFound if the organisation has no such endpoint */
  async get(orgId: string, endpointId: string): Promise<StoredEndpoint> {
    const endpoint = await this.find(orgId, endpointId);
    if (!endpoint) throw noSuchEndpoint();
    return endpoint;
  }

  /**
   * The endpoint after an update that leaves its version as it is, also if its response was lost and a repetition
   * refused. Undefined if the endpoint does not exist or the conditions fail.
   */
  async update(orgId: string, endpointId: string, changes: Update): Promise<StoredEndpoint | undefined> {
    const update = existing(keepingNoOldEvent(changes));
    const command = new UpdateCommand({
      TableName: this.#tableName,
      Key: endpointKey(orgId, endpointId),
      ReturnValues: "ALL_NEW",
      ReturnValuesOnConditionCheckFailure: "ALL_OLD",
      ...updateExpression(update),
    });
    try {
      const { Attributes } = await untilNoConflict(() => this.#client.send(command));
      return Attributes && parseEndpointItem(Attributes);
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
      const item = ownWrite(error, update);
      return item && parseEndpointItem(item);
    }
  }

  /**
   * Updates an endpoint and raises its version, in its own item and in that of all versions, so that no process uses
   * the endpoint as it was.
   *
   * @returns whether the endpoint exists and the conditions held
   */
  async updateAndRaiseVersion(orgId: string, endpointId: string, update: Update): Promise<boolean> {
    const TableName = this.#tableName;
    const ofEndpoint = updateExpression({
      ...existing(keepingNoOldEvent(update)),
      assign: { ...update.assign, version: "#version + :one" },
      values: { ...update.values, ":one": 1 },
    });
    const ofVersions = updateExpression({ add: { [endpointId]: 1 }, conditions: [] });
    return transact(this.#client, [
      { Update: { TableName, Key: endpointKey(orgId, endpointId), ...ofEndpoint } },
      { Update: { TableName, Key: versionsKey(orgId), ...ofVersions } },
    ]);
  }
}

/** The update of an item that exists: without this condition DynamoDB would create it. */
function existing(update: Update): Update {
  return { ...update, conditions: ["attribute_exists(pk)", ...update.conditions] };
}

/**
 * The update of an endpoint's item that also removes the `event` of an earlier write, unless it sets another: one that
 * stayed in the item would be published again with every later write.
 */
export function keepingNoOldEvent({ set = {}, remove = [], ...update }: Update): Update {
  return { ...update, set, remove: "event" in set ? remove : [...remove, "event"] };
}

export function noSuchEndpoint(): NotFound {
  return new NotFound(
    "Your organisation has no webhook endpoint with this id. Check the id against the list of endpoints.",
  );
}
