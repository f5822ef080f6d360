import { randomUUID } from "node:crypto";
import { ConditionalCheckFailedException, DynamoDBServiceException } from "@aws-sdk/client-dynamodb";
import { type DynamoDBDocumentClient, GetCommand, PutCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import { type AmendOptions, updateFor } from "#candidates/amendment";
import type { Candidate, CandidateState } from "#candidates/candidate";
import { digestOf, type Handle, noSuchCandidate, stagedIdOf } from "#candidates/handles";
import { isStored, packMember, unpackMember } from "#candidates/member-codec";
import type { CandidateAmendment, CandidateSubmission, CreateResponse } from "#contract/candidate-submission";
import { ConsentRevoked, PayloadTooLarge, PreconditionFailed, ServiceUnavailable } from "#contract/errors";

/** The answer to create, and whether it repeats that of an earlier call. */
export interface Receipt {
  readonly response: CreateResponse;
  readonly replayed: boolean;
}

type Item = CandidateState & { readonly writeId?: string; readonly [attribute: string]: unknown };

/** How often an amend that loses a race for the next `updatedAt` is repeated. */
const AMEND_ATTEMPTS = 20;

/** The candidates of every organisation, in one table; the organisation is part of each key. */
export class CandidateRepository {
  readonly #client: DynamoDBDocumentClient;
  readonly #tableName: string;
  readonly #now: () => Date;

  constructor(client: DynamoDBDocumentClient, tableName: string, now = () => new Date()) {
    this.#client = client;
    this.#tableName = tableName;
    this.#now = now;
  }

  /**
   * Takes a candidate into intake. The condition on the key makes it idempotent: a second submission with
   * the same `externalId` gets the first one's receipt from the very request that refused it.
   *
   * @throws PayloadTooLarge when DynamoDB cannot keep the submission
   */
  async receive(orgId: string, submission: CandidateSubmission): Promise<Receipt> {
    const digest = digestOf(orgId, submission.externalId);
    const receivedAt = this.#now().toISOString();
    const state: CandidateState = {
      status: "received",
      verificationStatus: "in_review",
      availabilityStatus: "pending",
      receivedAt,
      updatedAt: receivedAt,
    };
    const replayed = await this.#write(
      new PutCommand({
        TableName: this.#tableName,
        Item: { ...keyOf(orgId, digest), ...packMembers(submission), ...state },
        ConditionExpression: "attribute_not_exists(pk) OR #status = :erased",
        ExpressionAttributeNames: { "#status": "status" },
        ExpressionAttributeValues: { ":erased": "erased" },
        ReturnValuesOnConditionCheckFailure: "ALL_OLD",
      }),
    );
    return {
      response: {
        stagedId: stagedIdOf(digest),
        externalId: submission.externalId,
        status: "received",
        receivedAt: replayed.refused?.receivedAt ?? receivedAt,
      },
      replayed: replayed.refused !== undefined,
    };
  }

  /** The candidate that the caller knows by its own identifier. Errors as {@link find}. */
  async findByExternalId(orgId: string, externalId: string): Promise<Candidate> {
    return this.find(orgId, { kind: "staged", digest: digestOf(orgId, externalId) });
  }

  /**
   * The candidate, as of now.
   *
   * @throws NotFound when the organisation has no such candidate, or none under this kind of handle yet
   * @throws ConsentRevoked when access is frozen
   */
  async find(orgId: string, handle: Handle): Promise<Candidate> {
    const { Item } = await this.#client.send(
      new GetCommand({
        TableName: this.#tableName,
        Key: keyOf(orgId, handle.digest),
        ConsistentRead: true,
      }),
    );
    return toCandidate(handle.digest, readable(Item as Item | undefined, handle));
  }

  /**
   * Sets the members that the amendment names and keeps all others, in one request: amends of different
   * members that race all hold. `updatedAt` always moves forward, so an amend that finds a later one
   * than its own clock's is repeated with the next millisecond after it.
   *
   * @throws NotFound, ConsentRevoked as {@link find}; consent given again is let through and thaws
   * @throws PreconditionFailed when the record's entity tag is none of `options.ifMatch`
   * @throws PayloadTooLarge when DynamoDB cannot keep the result
   * @throws ServiceUnavailable when too many amends of the same candidate race
   */
  async amend(
    orgId: string,
    handle: Handle,
    amendment: CandidateAmendment,
    options: AmendOptions = {},
  ): Promise<Candidate> {
    if (Object.keys(amendment).length === 0) {
      const candidate = await this.find(orgId, handle);
      assertMatch(candidate.state, options);
      return candidate;
    }
    const writeId = randomUUID();
    let updatedAt = this.#now();
    for (let attempt = 0; attempt < AMEND_ATTEMPTS; attempt++) {
      const { written, refused } = await this.#write(
        new UpdateCommand({
          TableName: this.#tableName,
          Key: keyOf(orgId, handle.digest),
          ...updateFor(amendment, handle, { ...options, updatedAt: updatedAt.toISOString(), writeId }),
          ReturnValues: "ALL_NEW",
          ReturnValuesOnConditionCheckFailure: "ALL_OLD",
        }),
      );
      if (written) return toCandidate(handle.digest, written);
      // The SDK repeats a request whose answer was lost: then it is our own write that refuses us.
      if (refused?.writeId === writeId) return toCandidate(handle.digest, refused);
      const current = amendment.consentGiven === true ? existing(refused, handle) : readable(refused, handle);
      assertMatch(current, options);
      updatedAt = new Date(Math.max(this.#now().getTime(), Date.parse(current.updatedAt) + 1));
    }
    throw new ServiceUnavailable();
  }

  /** Sends a conditional write; `refused` is the item that made its condition fail. */
  async #write(
    command: PutCommand | UpdateCommand,
  ): Promise<{ readonly written?: Item; readonly refused?: Item }> {
    try {
      const { Attributes } = await this.#client.send(command as UpdateCommand);
      return { written: Attributes as Item };
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) {
        return error.Item ? { refused: unmarshall(error.Item) as Item } : {};
      }
      if (isItemTooLarge(error)) {
        throw new PayloadTooLarge("The candidate is larger than the service can keep. Send less of it.", {
          cause: error,
        });
      }
      throw error;
    }
  }
}

function keyOf(orgId: string, digest: string) {
  return { pk: `CANDIDATE#${orgId}#${digest}`, sk: "RECORD" };
}

function packMembers(members: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(members)
      .filter(([, value]) => isStored(value))
      .map(([name, value]) => [name, packMember(value)]),
  );
}

function toCandidate(digest: string, item: Item): Candidate {
  const {
    pk,
    sk,
    writeId,
    status,
    verificationStatus,
    availabilityStatus,
    workReadinessScore,
    receivedAt,
    updatedAt,
    promotedAt,
    ...stored
  } = item;
  return {
    digest,
    members: Object.fromEntries(Object.entries(stored).map(([name, value]) => [name, unpackMember(value)])),
    state: {
      status,
      verificationStatus,
      availabilityStatus,
      workReadinessScore,
      receivedAt,
      updatedAt,
      promotedAt,
    },
  };
}

/** The item, if it is a candidate that answers to this kind of handle; a tombstone is none. */
function existing(item: Item | undefined, handle: Handle): Item {
  if (!item || item.status === "erased" || (handle.kind === "canonical" && !item.promotedAt)) {
    throw noSuchCandidate();
  }
  return item;
}

function readable(item: Item | undefined, handle: Handle): Item {
  const candidate = existing(item, handle);
  if (candidate.status === "consent_revoked") throw new ConsentRevoked();
  return candidate;
}

function assertMatch(state: CandidateState, { ifMatch }: AmendOptions): void {
  if (ifMatch && !ifMatch.includes(state.updatedAt)) throw new PreconditionFailed();
}

// DynamoDB has no error of its own for this; 400 KB per item (Amazon DynamoDB quotas).
function isItemTooLarge(error: unknown): boolean {
  return (
    error instanceof DynamoDBServiceException &&
    error.name === "ValidationException" &&
    /size/i.test(error.message)
  );
}
