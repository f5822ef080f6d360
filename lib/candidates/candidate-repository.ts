import { randomUUID } from "node:crypto";
import { ConditionalCheckFailedException, DynamoDBServiceException } from "@aws-sdk/client-dynamodb";
import {
  type DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  type PutCommandInput,
  UpdateCommand,
} from "@aws-sdk/lib-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import { type AmendOptions, amendmentUpdate } from "#candidates/amendment";
import type { Candidate } from "#candidates/candidate";
import {
  assertKnownVersion,
  type CandidateItem,
  candidateKey,
  ITEM_VERSION,
  packMembers,
  toCandidate,
} from "#candidates/candidate-item";
import type { Change, Decision } from "#candidates/change";
import { digestOf, type Handle, noSuchCandidate, stagedIdOf } from "#candidates/handles";
import { beforeRevocation, firing, isReadable, received } from "#candidates/lifecycle";
import { type Update, updateExpression } from "#candidates/update-expression";
import type { CandidateAmendment, CandidateSubmission, CreateResponse } from "#contract/candidate-submission";
import { ConsentRevoked, PayloadTooLarge, PreconditionFailed, ServiceUnavailable } from "#contract/errors";

/** The answer to create, and whether it repeats that of an earlier call. */
export interface Receipt {
  readonly response: CreateResponse;
  readonly replayed: boolean;
}

/** What a conditional write came to: done, or refused by the item as it stands. */
type Outcome =
  | { readonly done: true; readonly item: CandidateItem | undefined }
  | { readonly done: false; readonly item: CandidateItem | undefined };

/** How often a write that loses a race on one candidate is repeated. */
const WRITE_ATTEMPTS = 20;

/** How long the tombstone of an erased candidate stays, in seconds: 30 days. */
const TOMBSTONE_SECONDS = 30 * 24 * 60 * 60;

/**
 * The candidates of every organisation, in one table.
 *
 * Each write carries a `writeId`: the SDK repeats a request whose answer was lost, and a condition that
 * then fails on the item's own last write has not been refused at all.
 */
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
    const writeId = randomUUID();
    const receivedAt = this.#now().toISOString();
    const { event, ...statuses } = received;
    const outcome = await this.#put({
      Item: {
        ...candidateKey(orgId, digest),
        ...packMembers(submission),
        ...statuses,
        receivedAt,
        updatedAt: receivedAt,
        writeId,
        itemVersion: ITEM_VERSION,
        event: firing(event, receivedAt),
        eventSequence: 1,
      },
      ConditionExpression: "attribute_not_exists(pk) OR #status = :erased",
      ExpressionAttributeNames: { "#status": "status" },
      ExpressionAttributeValues: { ":erased": "erased" },
    });
    const original = outcome.done || outcome.item?.writeId === writeId ? undefined : outcome.item;
    return {
      response: {
        stagedId: stagedIdOf(digest),
        externalId: submission.externalId,
        status: "received",
        receivedAt: original?.receivedAt ?? receivedAt,
      },
      replayed: original !== undefined,
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
    return toCandidate(handle.digest, readable(await this.#get(orgId, handle), handle));
  }

  /**
   * Sets the members that the amendment names and keeps all others, in one request: amends of different
   * members that race all hold. `updatedAt` always moves forward, so an amend that finds a later one
   * than its own clock's is repeated with the next millisecond after it.
   *
   * @throws NotFound, ConsentRevoked as {@link find}; consent given again is let through and thaws
   * @throws PreconditionFailed when the record's version is none of `options.ifMatch`
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
      assertVersion(candidate.state.updatedAt, options);
      return candidate;
    }
    const writeId = randomUUID();
    let updatedAt = this.#now().toISOString();
    for (let attempt = 0; attempt < WRITE_ATTEMPTS; attempt++) {
      const outcome = await this.#update(
        orgId,
        handle,
        amendmentUpdate(amendment, handle, { ...options, updatedAt, writeId }),
      );
      if (outcome.item && (outcome.done || outcome.item.writeId === writeId)) {
        return toCandidate(handle.digest, outcome.item);
      }
      const current = amendment.consentGiven
        ? existing(outcome.item, handle)
        : readable(outcome.item, handle);
      assertVersion(current.updatedAt, options);
      updatedAt = this.#after(current.updatedAt);
    }
    throw new ServiceUnavailable();
  }

  /**
   * The candidate as the platform sees it: frozen ones too, and what is left of erased ones.
   *
   * @throws NotFound when the organisation has no such candidate, or none under this kind of handle yet
   */
  async inspect(orgId: string, handle: Handle): Promise<Candidate> {
    return toCandidate(handle.digest, known(await this.#get(orgId, handle), handle));
  }

  /**
   * The platform's way to change a candidate: reads it, decides, and writes only if it is still what was
   * read, else reads and decides again. What is decided twice is written once, with one event.
   *
   * @returns the candidate as it is then; `changed` tells whether this call made it so
   * @throws NotFound as {@link inspect}; what `decide` throws
   * @throws ServiceUnavailable when too many changes of the same candidate race
   */
  async change(
    orgId: string,
    handle: Handle,
    decide: Decision,
  ): Promise<{ readonly candidate: Candidate; readonly changed: boolean }> {
    const writeId = randomUUID();
    for (let attempt = 0; attempt < WRITE_ATTEMPTS; attempt++) {
      const seen = known(await this.#get(orgId, handle), handle);
      const candidate = toCandidate(handle.digest, seen);
      if (seen.writeId === writeId) return { candidate, changed: true };
      const change = decide(candidate);
      if (!change) return { candidate, changed: false };
      const write = { updatedAt: this.#after(seen.updatedAt), writeId };
      const outcome =
        change.effect?.status === "erased"
          ? await this.#bury(orgId, handle, seen, write)
          : await this.#update(orgId, handle, changeUpdate(change, seen, write));
      if (outcome.done && outcome.item) {
        return { candidate: toCandidate(handle.digest, outcome.item), changed: true };
      }
    }
    throw new ServiceUnavailable();
  }

  /** Puts a tombstone in the candidate's place: key, status and times, and the event that tells of it. */
  async #bury(
    orgId: string,
    handle: Handle,
    seen: CandidateItem,
    { updatedAt, writeId }: { readonly updatedAt: string; readonly writeId: string },
  ): Promise<Outcome> {
    const item: CandidateItem = {
      ...candidateKey(orgId, handle.digest),
      status: "erased",
      receivedAt: seen.receivedAt,
      updatedAt,
      promotedAt: seen.promotedAt,
      writeId,
      itemVersion: ITEM_VERSION,
      event: firing("candidate.erased", updatedAt),
      eventSequence: seen.eventSequence + 1,
      deleteAfter: Math.floor(Date.parse(updatedAt) / 1000) + TOMBSTONE_SECONDS,
    };
    const outcome = await this.#put({
      Item: item,
      ConditionExpression: "#updatedAt = :seen",
      ExpressionAttributeNames: { "#updatedAt": "updatedAt" },
      ExpressionAttributeValues: { ":seen": seen.updatedAt },
    });
    return outcome.done ? { done: true, item } : outcome;
  }

  async #get(orgId: string, handle: Handle): Promise<CandidateItem | undefined> {
    const { Item } = await this.#client.send(
      new GetCommand({
        TableName: this.#tableName,
        Key: candidateKey(orgId, handle.digest),
        ConsistentRead: true,
      }),
    );
    return Item as CandidateItem | undefined;
  }

  #put(input: Omit<PutCommandInput, "TableName">): Promise<Outcome> {
    return attempt(() =>
      this.#client.send(
        new PutCommand({
          TableName: this.#tableName,
          ...input,
          ReturnValuesOnConditionCheckFailure: "ALL_OLD",
        }),
      ),
    );
  }

  #update(orgId: string, handle: Handle, update: Update): Promise<Outcome> {
    return attempt(() =>
      this.#client.send(
        new UpdateCommand({
          TableName: this.#tableName,
          Key: candidateKey(orgId, handle.digest),
          ...updateExpression(update),
          ReturnValues: "ALL_NEW",
          ReturnValuesOnConditionCheckFailure: "ALL_OLD",
        }),
      ),
    );
  }

  /** Now, or the millisecond after a version of the record that is later than this process's clock. */
  #after(version: string): string {
    return new Date(Math.max(this.#now().getTime(), Date.parse(version) + 1)).toISOString();
  }
}

/** A change as an update of the very version that it was decided on. */
function changeUpdate(
  { effect, reasons, workReadinessScore, assessments }: Change,
  seen: CandidateItem,
  { updatedAt, writeId }: { readonly updatedAt: string; readonly writeId: string },
): Update {
  const { event, ...statuses } = effect ?? {};
  const promoting = effect?.status === "promoted" && !seen.promotedAt;
  const revoking = effect?.status === "consent_revoked";
  return {
    set: {
      updatedAt,
      writeId,
      itemVersion: ITEM_VERSION,
      ...statuses,
      ...(promoting && { promotedAt: updatedAt }),
      ...(revoking && { consentGiven: false }),
      ...(typeof workReadinessScore === "number" && { workReadinessScore }),
      ...(assessments && packMembers({ assessments })),
      ...(event && { event: firing(event, updatedAt, reasons), eventSequence: seen.eventSequence + 1 }),
    },
    assign: revoking ? beforeRevocation.remember : {},
    remove: [...(workReadinessScore === null ? ["workReadinessScore"] : []), ...(event ? [] : ["event"])],
    conditions: ["#updatedAt = :seen"],
    values: { ":seen": seen.updatedAt },
  };
}

async function attempt(send: () => Promise<{ Attributes?: unknown }>): Promise<Outcome> {
  try {
    const { Attributes } = await send();
    return { done: true, item: Attributes as CandidateItem | undefined };
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) {
      return { done: false, item: error.Item && (unmarshall(error.Item) as CandidateItem) };
    }
    if (isItemTooLarge(error)) {
      throw new PayloadTooLarge("The candidate is larger than the service can keep. Send less of it.", {
        cause: error,
      });
    }
    throw error;
  }
}

/** The item, if there is one that answers to this kind of handle. */
function known(item: CandidateItem | undefined, handle: Handle): CandidateItem {
  if (!item || (handle.kind === "canonical" && !item.promotedAt)) throw noSuchCandidate();
  assertKnownVersion(item);
  return item;
}

/** The same for integrators, to whom an erased candidate never was. */
function existing(item: CandidateItem | undefined, handle: Handle): CandidateItem {
  const candidate = known(item, handle);
  if (candidate.status === "erased") throw noSuchCandidate();
  return candidate;
}

function readable(item: CandidateItem | undefined, handle: Handle): CandidateItem {
  const candidate = existing(item, handle);
  if (!isReadable(candidate.status)) throw new ConsentRevoked();
  return candidate;
}

function assertVersion(updatedAt: string, { ifMatch }: AmendOptions): void {
  if (ifMatch && !ifMatch.includes(updatedAt)) throw new PreconditionFailed();
}

// DynamoDB has no error of its own for this; 400 KB per item (Amazon DynamoDB quotas).
function isItemTooLarge(error: unknown): boolean {
  return (
    error instanceof DynamoDBServiceException &&
    error.name === "ValidationException" &&
    /size/i.test(error.message)
  );
}
