import { type DynamoDBDocumentClient, paginateQuery } from "@aws-sdk/lib-dynamodb";
import * as z from "zod/mini";
import { PREVIOUS_SECRET_PERIOD_MS } from "#contract/webhook-endpoint";
import { LOST, optimisticRetry } from "#runtime/optimistic-retry";
import { EndpointItems } from "#webhooks/endpoints/endpoint-items";
import { ENDPOINTS_BY_SEALING_KEY } from "#webhooks/endpoints/sealing-key-index";
import { oldestSealingKeyIdOf } from "#webhooks/endpoints/secret-box";
import type { StoredEndpoint } from "#webhooks/endpoints/stored-endpoint";

/** The most attempts at a rotation while concurrent ones of the same secret succeed first. */
const ROTATION_ATTEMPTS = 8;

/** An endpoint as the index has it. */
const EndpointReference = z.object({ orgId: z.string(), id: z.string() });
type EndpointReference = z.infer<typeof EndpointReference>;

/** The sealed signing secrets of endpoints. */
export class SealedSecretRepository {
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
   * Replaces the current secret, which becomes the previous one; any earlier previous secret is discarded. A retry
   * after a lost response changes nothing more.
   *
   * @throws NotFound if the organisation has no such endpoint
   * @throws ServiceUnavailable if too many rotations of the same secret race
   */
  async rotate(
    orgId: string,
    endpointId: string,
    sealedSecret: string,
  ): Promise<StoredEndpoint & { readonly previousSecretExpiresAt: string }> {
    const previousSecretExpiresAt = new Date(this.#now().getTime() + PREVIOUS_SECRET_PERIOD_MS).toISOString();
    return optimisticRetry(ROTATION_ATTEMPTS)(async () => {
      const seen = await this.#items.get(orgId, endpointId);
      if (seen.sealedSecret === sealedSecret) return { ...seen, previousSecretExpiresAt };
      const rotated = {
        sealedSecret,
        previousSealedSecret: seen.sealedSecret,
        previousSecretExpiresAt,
        [ENDPOINTS_BY_SEALING_KEY.partitionKey]: oldestSealingKeyIdOf([seen.sealedSecret, sealedSecret]),
      };
      const isRotated = await this.#items.updateAndRaiseVersion(orgId, endpointId, {
        set: rotated,
        conditions: ["#sealedSecret = :seen"],
        values: { ":seen": seen.sealedSecret },
      });
      return isRotated ? { ...seen, ...rotated } : LOST;
    });
  }

  /** Endpoints with a secret that is sealed with this key. Eventually consistent, because it reads an index. */
  async *sealedWith(keyId: string): AsyncGenerator<EndpointReference> {
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
    for await (const { Items = [] } of pages) yield* Items.map((item) => EndpointReference.parse(item));
  }

  /** Replaces the ciphertexts that were read. Returns false if they have changed since. */
  reseal(
    { orgId, id, sealedSecret: sealed }: StoredEndpoint,
    sealedSecret: string,
    previousSealedSecret?: string,
  ): Promise<boolean> {
    const previous = previousSealedSecret === undefined ? {} : { previousSealedSecret };
    return this.#items.updateAndRaiseVersion(orgId, id, {
      set: {
        sealedSecret,
        ...previous,
        [ENDPOINTS_BY_SEALING_KEY.partitionKey]: oldestSealingKeyIdOf([
          sealedSecret,
          ...Object.values(previous),
        ]),
      },
      conditions: ["#sealedSecret = :sealed"],
      values: { ":sealed": sealed },
    });
  }
}
