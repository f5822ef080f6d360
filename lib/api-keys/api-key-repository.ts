import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import {
  type DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  paginateQuery,
  UpdateCommand,
} from "@aws-sdk/lib-dynamodb";
import * as z from "zod/mini";
import { generateApiKey, hashOf, isSameHash, isWellFormedApiKey, keyIdOf } from "#api-keys/api-key";
import { ApiKey, type IssueApiKey, type IssuedApiKey } from "#api-keys/api-key-commands";
import { KEYS_BY_ORGANISATION } from "#api-keys/api-key-index";
import { OrganisationRepository } from "#api-keys/organisation-repository";
import { InvalidRequest, NotFound } from "#contract/errors";
import { EncodedHandleKey } from "#contract/organisation";
import { HOUR } from "#runtime/durations";
import type { EnvironmentName } from "#runtime/environment";
import { updateExpression } from "#runtime/update-expression";

/** The time after a recorded use in which no other is recorded, in ms: at most one write per hour and key. */
const USE_RECORDED_EVERY_MS = HOUR;
/** How long recording a use may take, in ms. The lookup before it may take 7 s, and the authorizer has 10 s. */
const RECORDING_MS = 2_000;

/** The caller of a request: its key, and the encoded handle key of its organisation. */
const AuthenticatedKey = z.extend(ApiKey, { handleKey: EncodedHandleKey });
export type AuthenticatedKey = z.infer<typeof AuthenticatedKey>;

/** The API keys of one environment. */
export class ApiKeyRepository {
  readonly #client: DynamoDBDocumentClient;
  readonly #tableName: string;
  readonly #environment: EnvironmentName;
  readonly #now: () => Date;
  readonly #organisations: OrganisationRepository;

  constructor(
    client: DynamoDBDocumentClient,
    tableName: string,
    environment: EnvironmentName,
    now: () => Date,
  ) {
    this.#client = client;
    this.#tableName = tableName;
    this.#environment = environment;
    this.#now = now;
    this.#organisations = new OrganisationRepository(client, tableName, now);
  }

  /**
   * Creates a key for an organisation. Only this response ever contains the key itself.
   *
   * The organisation is written first, so that no key lacks its handle key. If a failure in between leaves an
   * organisation without a key, call this again without `newOrganisation`.
   *
   * @throws InvalidRequest if the expiry is past, or the organisation exists although `newOrganisation` is true
   * @throws NotFound if the organisation does not exist and `newOrganisation` is not true
   */
  async issue({ orgId, newOrganisation, name, expiresAt }: IssueApiKey): Promise<IssuedApiKey> {
    const now = this.#now();
    if (expiresAt !== undefined && Date.parse(expiresAt) <= now.getTime()) {
      throw new InvalidRequest("expiresAt: a date-time in the future is expected");
    }
    const handleKey = await this.#organisations.handleKeyFor({ orgId, newOrganisation });
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
        Item: {
          ...primaryKeyOf(key.keyId),
          ...key,
          hash,
          handleKey,
          [KEYS_BY_ORGANISATION.partitionKey]: orgId,
        },
        // The SDK may repeat the request. A repetition that arrives late must not undo a revocation.
        ConditionExpression:
          "attribute_not_exists(pk) OR (#hash = :hash AND attribute_not_exists(revokedAt))",
        ExpressionAttributeNames: { "#hash": "hash" },
        ExpressionAttributeValues: { ":hash": hash },
      }),
    );
    return { ...key, apiKey };
  }

  /**
   * The key that a caller presents, or undefined if it is unknown, revoked, expired, mistyped or of another
   * environment. The response does not distinguish these cases.
   *
   * @throws Error with the key's id if its item cannot be read
   */
  async authenticate(presented: string): Promise<AuthenticatedKey | undefined> {
    if (!isWellFormedApiKey(presented, this.#environment)) return undefined;
    const hash = hashOf(presented);
    const keyId = keyIdOf(hash);
    const { Item } = await this.#client.send(
      // The response is cached for 60 s: a revoked key must not be read as it was before.
      new GetCommand({ TableName: this.#tableName, Key: primaryKeyOf(keyId), ConsistentRead: true }),
    );
    if (!Item || !isSameHash(Item["hash"], hash)) return undefined;
    const { data: key, error: cause } = AuthenticatedKey.safeParse(Item);
    if (!key) throw new Error(`The item of the key ${keyId} cannot be read.`, { cause });
    const expired = key.expiresAt !== undefined && Date.parse(key.expiresAt) <= this.#now().getTime();
    return key.revokedAt !== undefined || expired ? undefined : key;
  }

  /**
   * Records that a key was used, if the last recorded use is an hour old. Concurrent uses cause one write. Takes about
   * 2 s at most.
   */
  async recordUse({ keyId, lastUsedAt }: ApiKey): Promise<void> {
    const now = this.#now();
    const anHourAgo = new Date(now.getTime() - USE_RECORDED_EVERY_MS).toISOString();
    if (lastUsedAt !== undefined && lastUsedAt > anHourAgo) return;
    try {
      await this.#client.send(
        new UpdateCommand({
          TableName: this.#tableName,
          Key: primaryKeyOf(keyId),
          ...updateExpression({
            set: { lastUsedAt: now.toISOString() },
            conditions: [
              "attribute_exists(pk)",
              "(attribute_not_exists(#lastUsedAt) OR #lastUsedAt <= :anHourAgo)",
            ],
            values: { ":anHourAgo": anHourAgo },
          }),
        }),
        { abortSignal: AbortSignal.timeout(RECORDING_MS) },
      );
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
    }
  }

  /** An organisation's keys, oldest first, including revoked and expired ones. */
  async list(orgId: string): Promise<ApiKey[]> {
    const keys: ApiKey[] = [];
    const pages = paginateQuery(
      { client: this.#client },
      {
        TableName: this.#tableName,
        IndexName: KEYS_BY_ORGANISATION.indexName,
        KeyConditionExpression: "#orgId = :orgId",
        ExpressionAttributeNames: { "#orgId": KEYS_BY_ORGANISATION.partitionKey },
        ExpressionAttributeValues: { ":orgId": orgId },
      },
    );
    for await (const { Items = [] } of pages) keys.push(...Items.map((item) => ApiKey.parse(item)));
    return keys;
  }

  /**
   * Revokes a key. A key that is already revoked keeps the time of its first revocation.
   *
   * @throws NotFound if no key has this id
   */
  async revoke(keyId: string): Promise<ApiKey> {
    try {
      const { Attributes } = await this.#client.send(
        new UpdateCommand({
          TableName: this.#tableName,
          Key: primaryKeyOf(keyId),
          ...updateExpression({
            assign: { revokedAt: "if_not_exists(#revokedAt, :now)" },
            conditions: ["attribute_exists(pk)"],
            values: { ":now": this.#now().toISOString() },
          }),
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
