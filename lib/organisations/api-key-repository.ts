import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import {
  type DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  paginateQuery,
  QueryCommand,
  UpdateCommand,
} from "@aws-sdk/lib-dynamodb";
import type { EnvironmentName } from "#aws/environment";
import { InvalidRequest, NotFound } from "#contract/errors";
import { generateApiKey, hashOf, isSameHash, isWellFormedApiKey, keyIdOf } from "#organisations/api-key";
import { ApiKey, type IssueApiKey, type IssuedApiKey } from "#organisations/api-key-commands";
import { KEYS_BY_ORGANISATION } from "#organisations/api-key-index";

/** How long a noted use stands for those after it: at most one write an hour and key. */
const USE_NOTED_FOR_MS = 3_600_000;

/** The API keys of one environment. */
export class ApiKeyRepository {
  readonly #client: DynamoDBDocumentClient;
  readonly #tableName: string;
  readonly #environment: EnvironmentName;
  readonly #now: () => Date;

  constructor(
    client: DynamoDBDocumentClient,
    tableName: string,
    environment: EnvironmentName,
    now = () => new Date(),
  ) {
    this.#client = client;
    this.#tableName = tableName;
    this.#environment = environment;
    this.#now = now;
  }

  /**
   * Makes a key for an organisation. The response is the only place that ever contains the key itself.
   *
   * Two first keys at the same moment both succeed. An index is eventually consistent: a second key within
   * moments of the first may be refused, and is issued when it is asked for again.
   *
   * @throws InvalidRequest when it has expired already, or the organisation has keys and is said to be new
   * @throws NotFound when the organisation has no key yet and is not said to be new
   */
  async issue({ orgId, newOrganisation = false, name, expiresAt }: IssueApiKey): Promise<IssuedApiKey> {
    const now = this.#now();
    if (expiresAt !== undefined && Date.parse(expiresAt) <= now.getTime()) {
      throw new InvalidRequest("expiresAt: a date-time in the future is expected");
    }
    const known = await this.#hasKeys(orgId);
    if (!known && !newOrganisation) {
      throw new NotFound(
        `The organisation ${orgId} has no key yet. Check its id, or set newOrganisation to true (--new-organisation) to make its first key.`,
      );
    }
    if (known && newOrganisation) {
      throw new InvalidRequest(
        `newOrganisation: the organisation ${orgId} has keys already. Leave newOrganisation out to make another key for it, or choose another id.`,
      );
    }
    const apiKey = generateApiKey(this.#environment);
    const hash = hashOf(apiKey);
    const key: ApiKey = {
      keyId: keyIdOf(hash),
      orgId,
      name,
      createdAt: now.toISOString(),
      ...(expiresAt && { expiresAt: new Date(expiresAt).toISOString() }),
    };
    await this.#client.send(
      new PutCommand({
        TableName: this.#tableName,
        Item: { ...primaryKeyOf(key.keyId), ...key, hash, [KEYS_BY_ORGANISATION.partitionKey]: orgId },
        ConditionExpression: "attribute_not_exists(pk)",
      }),
    );
    return { ...key, apiKey };
  }

  /** Whether the organisation ever had a key: revoked and expired ones stay. */
  async #hasKeys(orgId: string): Promise<boolean> {
    const { Count = 0 } = await this.#client.send(
      new QueryCommand({ ...this.#keysOf(orgId), Select: "COUNT", Limit: 1 }),
    );
    return Count > 0;
  }

  #keysOf(orgId: string) {
    return {
      TableName: this.#tableName,
      IndexName: KEYS_BY_ORGANISATION.indexName,
      KeyConditionExpression: "#orgId = :orgId",
      ExpressionAttributeNames: { "#orgId": KEYS_BY_ORGANISATION.partitionKey },
      ExpressionAttributeValues: { ":orgId": orgId },
    };
  }

  /**
   * The key that a caller presents, or undefined when it is unknown, revoked, expired, mistyped or of
   * another environment: the caller is not told which.
   */
  async authenticate(presented: string): Promise<ApiKey | undefined> {
    if (!isWellFormedApiKey(presented, this.#environment)) return undefined;
    const hash = hashOf(presented);
    const { Item } = await this.#client.send(
      new GetCommand({ TableName: this.#tableName, Key: primaryKeyOf(keyIdOf(hash)) }),
    );
    if (!Item || !isSameHash(Item["hash"], hash)) return undefined;
    const key = ApiKey.parse(Item);
    const expired = key.expiresAt !== undefined && Date.parse(key.expiresAt) <= this.#now().getTime();
    return key.revokedAt === undefined && !expired ? key : undefined;
  }

  /** Notes that a key was used, where the last noted use is an hour old; a race of uses is one write. */
  async noteUse({ keyId, lastUsedAt }: ApiKey): Promise<void> {
    const now = this.#now();
    const anHourAgo = new Date(now.getTime() - USE_NOTED_FOR_MS).toISOString();
    if (lastUsedAt !== undefined && lastUsedAt > anHourAgo) return;
    try {
      await this.#client.send(
        new UpdateCommand({
          TableName: this.#tableName,
          Key: primaryKeyOf(keyId),
          UpdateExpression: "SET lastUsedAt = :now",
          ConditionExpression:
            "attribute_exists(pk) AND (attribute_not_exists(lastUsedAt) OR lastUsedAt <= :anHourAgo)",
          ExpressionAttributeValues: { ":now": now.toISOString(), ":anHourAgo": anHourAgo },
        }),
      );
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
    }
  }

  /** An organisation's keys, oldest first, revoked and expired ones included. */
  async list(orgId: string): Promise<ApiKey[]> {
    const keys: ApiKey[] = [];
    const pages = paginateQuery({ client: this.#client }, this.#keysOf(orgId));
    for await (const { Items = [] } of pages) keys.push(...Items.map((item) => ApiKey.parse(item)));
    return keys.sort((left, right) => left.createdAt.localeCompare(right.createdAt));
  }

  /**
   * Ends a key. A key that is revoked already keeps the time of its first revocation.
   *
   * @throws NotFound when no key has this id
   */
  async revoke(keyId: string): Promise<ApiKey> {
    try {
      const { Attributes } = await this.#client.send(
        new UpdateCommand({
          TableName: this.#tableName,
          Key: primaryKeyOf(keyId),
          UpdateExpression: "SET revokedAt = if_not_exists(revokedAt, :now)",
          ConditionExpression: "attribute_exists(pk)",
          ExpressionAttributeValues: { ":now": this.#now().toISOString() },
          ReturnValues: "ALL_NEW",
        }),
      );
      return ApiKey.parse(Attributes);
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) {
        throw new NotFound(`No key has the id ${keyId}. List an organisation's keys to find it.`);
      }
      throw error;
    }
  }
}

function primaryKeyOf(keyId: string) {
  return { pk: `KEY#${keyId}`, sk: "KEY" };
}
