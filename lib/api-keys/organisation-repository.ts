import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { type DynamoDBDocumentClient, GetCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import type { IssueApiKey } from "#api-keys/api-key-commands";
import { InvalidRequest, NotFound } from "#contract/errors";
import { EncodedHandleKey, generateHandleKey, Organisation } from "#contract/organisation";
import { updateExpression } from "#runtime/update-expression";

/** The organisations of one environment: one item each, created with the first API key and never deleted. */
export class OrganisationRepository {
  readonly #client: DynamoDBDocumentClient;
  readonly #tableName: string;
  readonly #now: () => Date;

  constructor(client: DynamoDBDocumentClient, tableName: string, now: () => Date) {
    this.#client = client;
    this.#tableName = tableName;
    this.#now = now;
  }

  /**
   * The encoded handle key of the organisation to which an API key is issued. A new organisation is created with a
   * random handle key. The write is conditional: of several that create the same organisation at once, one succeeds.
   *
   * @throws InvalidRequest if the organisation exists although `newOrganisation` is true
   * @throws NotFound if it does not exist and `newOrganisation` is not true
   */
  async handleKeyFor({
    orgId,
    newOrganisation = false,
  }: Pick<IssueApiKey, "orgId" | "newOrganisation">): Promise<string> {
    const proposed = generateHandleKey();
    try {
      const { Attributes } = await this.#client.send(
        new UpdateCommand({
          TableName: this.#tableName,
          Key: primaryKeyOf(orgId),
          ...updateExpression({
            assign: {
              handleKey: "if_not_exists(#handleKey, :proposed)",
              createdAt: "if_not_exists(#createdAt, :now)",
            },
            conditions: [
              newOrganisation ? "attribute_not_exists(#handleKey)" : "attribute_exists(#handleKey)",
            ],
            values: { ":proposed": proposed, ":now": this.#now().toISOString() },
          }),
          ReturnValues: "ALL_NEW",
          ReturnValuesOnConditionCheckFailure: "ALL_OLD",
        }),
      );
      return EncodedHandleKey.parse(Attributes?.["handleKey"]);
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
      // The SDK repeats a request whose response was lost. Its own first write may then fail the condition.
      if (error.Item?.["handleKey"]?.S === proposed) return proposed;
      if (!newOrganisation) {
        throw new NotFound(
          `There is no organisation ${orgId}. Check its id, or set newOrganisation to create it with its first key.`,
        );
      }
      throw new InvalidRequest(
        `newOrganisation: the organisation ${orgId} already exists. Omit newOrganisation to create another key for it, or choose another id.`,
      );
    }
  }

  /**
   * The organisation, read consistently.
   *
   * @throws NotFound if it does not exist
   */
  async get(orgId: string): Promise<Organisation> {
    const { Item } = await this.#client.send(
      new GetCommand({ TableName: this.#tableName, Key: primaryKeyOf(orgId), ConsistentRead: true }),
    );
    if (!Item) throw new NotFound(`There is no organisation ${orgId}. Check its id.`);
    return Organisation.parse({ ...Item, orgId });
  }
}

function primaryKeyOf(orgId: string) {
  return { pk: `ORGANISATION#${orgId}`, sk: "ORGANISATION" };
}
