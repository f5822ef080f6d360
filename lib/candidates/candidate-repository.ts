import { randomUUID } from "node:crypto";
import { ConditionalCheckFailedException, DynamoDBServiceException } from "@aws-sdk/client-dynamodb";
import {
  type DynamoDBDocumentClient,
  PutCommand,
  type PutCommandInput,
  UpdateCommand,
} from "@aws-sdk/lib-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import { logger } from "#aws/logger";
import { type Update, updateExpression } from "#aws/update-expression";
import { existing, readable } from "#candidates/access";
import { type AmendOptions, amendmentUpdate } from "#candidates/amendment";
import type { Candidate } from "#candidates/candidate";
import {
  type CandidateItem,
  candidateKey,
  LARGE_ITEM,
  membersOf,
  ORDINARY_ITEM,
  packMembers,
} from "#candidates/candidate-item";
import { CandidateReader, integrators, platform } from "#candidates/candidate-reader";
import {
  type ItemMembers,
  isLarge,
  membersWithoutRoom,
  ORDINARY_BYTES,
  outgrowsAnswers,
} from "#candidates/candidate-size";
import type { Change, Decision } from "#candidates/change";
import { type Handle, handleOf, stagedIdOf } from "#candidates/handles";
import { beforeRevocation, firing, received } from "#candidates/lifecycle";
import { SectionParts, SectionWrite } from "#candidates/section-parts";
import { referencesIn, replacedReferences, type SectionReference } from "#candidates/section-reference";
import type { CandidateAmendment, CandidateSubmission, CreateResponse } from "#contract/candidate-submission";
import { PayloadTooLarge, PreconditionFailed, ServiceUnavailable } from "#contract/errors";
import type { Organisation } from "#organisations/organisation";

/** The answer to create, and whether it repeats that of an earlier call. */
export interface Receipt {
  readonly response: CreateResponse;
  readonly replayed: boolean;
}

/** What a conditional write came to: done, or refused by the item as it stands. */
type Outcome =
  | { readonly done: true; readonly item: CandidateItem | undefined }
  | { readonly done: false; readonly item: CandidateItem | undefined };

/** References in the place of members that have no room, and the `itemVersion` that says so. */
type Layout = Readonly<Record<string, SectionReference | number>>;

/** How often a write that loses a race on one candidate is repeated. */
const WRITE_ATTEMPTS = 20;

/** How long the tombstone of an erased candidate stays, in seconds: 30 days. */
const TOMBSTONE_SECONDS = 30 * 24 * 60 * 60;

/**
 * Writes the candidates of every organisation: ordinary ones in one request each, larger ones after a look
 * at what is there, with the sections that have no room in the item in parts beside it.
 *
 * Each write carries a `writeId`: the SDK repeats a request whose answer was lost, and a condition that
 * then fails on the item's own last write has not been refused at all.
 */
export class CandidateRepository {
  readonly #client: DynamoDBDocumentClient;
  readonly #tableName: string;
  readonly #now: () => Date;
  readonly #reader: CandidateReader;
  readonly #parts: SectionParts;

  constructor(client: DynamoDBDocumentClient, tableName: string, now = () => new Date()) {
    this.#client = client;
    this.#tableName = tableName;
    this.#now = now;
    this.#reader = new CandidateReader(client, tableName);
    this.#parts = new SectionParts(client, tableName);
  }

  /**
   * Takes a candidate into intake. The condition on the key makes it idempotent: a second submission with
   * the same `externalId` gets the first one's receipt from the very request that refused it.
   *
   * @throws PayloadTooLarge when no answer could carry the candidate
   */
  async receive(organisation: Organisation, submission: CandidateSubmission): Promise<Receipt> {
    const { orgId } = organisation;
    const handle = handleOf(organisation, submission.externalId);
    const writeId = randomUUID();
    const receivedAt = this.#now().toISOString();
    const { attributes, jsonBytes } = packMembers(submission);
    const receipt = (original?: CandidateItem): Receipt => ({
      response: {
        stagedId: stagedIdOf(handle.digest),
        externalId: submission.externalId,
        status: "received",
        receivedAt: original?.receivedAt ?? receivedAt,
      },
      replayed: original !== undefined,
    });
    let layout: Layout = { itemVersion: ORDINARY_ITEM };
    if (jsonBytes > ORDINARY_BYTES) {
      // A replay stores no parts for nothing.
      const original = await this.#reader.get(orgId, handle);
      if (original && original.status !== "erased") return receipt(original);
      layout = await this.#layOut(attributes, {}, this.#sectionWrite(orgId, handle.digest, writeId));
    }
    const { event, ...statuses } = received;
    const outcome = await this.#put({
      Item: {
        ...candidateKey(orgId, handle.digest),
        ...attributes,
        ...layout,
        ...statuses,
        receivedAt,
        updatedAt: receivedAt,
        writeId,
        event: firing(event, receivedAt),
        eventSequence: 1,
      },
      ConditionExpression: "attribute_not_exists(pk) OR #status = :erased",
      ExpressionAttributeNames: { "#status": "status" },
      ExpressionAttributeValues: { ":erased": "erased" },
    });
    return receipt(outcome.done || outcome.item?.writeId === writeId ? undefined : outcome.item);
  }

  /**
   * Sets the members that the amendment names and keeps all others, in one request: amends of different
   * members that race all hold. `updatedAt` always moves forward, so an amend that finds a later one
   * than its own clock's is repeated with the next millisecond after it.
   *
   * A large amendment, or one of a large candidate, reads the candidate first and writes the version that
   * it read, else begins again.
   *
   * @throws NotFound, ConsentRevoked as `CandidateReader.find`; consent given again is let through and thaws
   * @throws PreconditionFailed when the record's version is none of `options.ifMatch`
   * @throws PayloadTooLarge when no answer could carry the result
   * @throws ServiceUnavailable when too many amends of the same candidate race
   */
  async amend(
    orgId: string,
    handle: Handle,
    amendment: CandidateAmendment,
    options: AmendOptions = {},
  ): Promise<Candidate> {
    if (Object.keys(amendment).length === 0) {
      const candidate = await this.#reader.find(orgId, handle);
      assertVersion(candidate.state.updatedAt, options);
      return candidate;
    }
    const writeId = randomUUID();
    const sections = this.#sectionWrite(orgId, handle.digest, writeId);
    const { attributes, jsonBytes } = packMembers(amendment);
    const access = amendment.consentGiven ? existing : readable;
    const look = async () => access(await this.#reader.get(orgId, handle), handle);
    let seen = jsonBytes > ORDINARY_BYTES ? await look() : undefined;
    let updatedAt = this.#after(seen?.updatedAt);
    for (let attempt = 0; attempt < WRITE_ATTEMPTS; attempt++) {
      if (seen) assertVersion(seen.updatedAt, options);
      const update = amendmentUpdate(amendment, handle, { ...options, attributes, updatedAt, writeId });
      let outcome: Outcome;
      try {
        outcome = await this.#update(
          orgId,
          handle,
          seen ? await this.#laidOut(update, seen, sections) : withoutLook(update),
        );
      } catch (error) {
        if (seen || !isItemTooLarge(error)) throw error;
        seen = await look();
        updatedAt = this.#after(seen.updatedAt);
        continue;
      }
      if (outcome.item && (outcome.done || outcome.item.writeId === writeId)) {
        if (seen) await this.#removeReplaced(orgId, handle, seen, outcome.item);
        return (
          (await this.#reader.assemble(orgId, handle, outcome.item, integrators)) ??
          (await this.#reader.find(orgId, handle))
        );
      }
      const current = access(outcome.item, handle);
      assertVersion(current.updatedAt, options);
      updatedAt = this.#after(current.updatedAt);
      if (seen || current.itemVersion === LARGE_ITEM) seen = current;
    }
    throw new ServiceUnavailable();
  }

  /**
   * The platform's way to change a candidate: reads it, decides, and writes only if it is still what was
   * read, else reads and decides again. What is decided twice is written once, with one event.
   *
   * @returns the candidate as it is then; `changed` tells whether this call made it so
   * @throws NotFound as `CandidateReader.inspect`; what `decide` throws
   * @throws PayloadTooLarge when no answer could carry the result
   * @throws ServiceUnavailable when too many changes of the same candidate race
   */
  async change(
    orgId: string,
    handle: Handle,
    decide: Decision,
  ): Promise<{ readonly candidate: Candidate; readonly changed: boolean }> {
    const writeId = randomUUID();
    const sections = this.#sectionWrite(orgId, handle.digest, writeId);
    for (let attempt = 0; attempt < WRITE_ATTEMPTS; attempt++) {
      const { item: seen, candidate } = await this.#reader.read(orgId, handle, platform);
      if (seen.writeId === writeId) return { candidate, changed: true };
      const change = decide(candidate);
      if (!change) return { candidate, changed: false };
      const write = { updatedAt: this.#after(seen.updatedAt), writeId };
      const outcome =
        change.effect?.status === "erased"
          ? await this.#bury(orgId, handle, seen, write, sections)
          : await this.#update(
              orgId,
              handle,
              await this.#laidOut(changeUpdate(change, seen, write), seen, sections),
            );
      if (outcome.done && outcome.item) {
        await this.#removeReplaced(orgId, handle, seen, outcome.item);
        const changed = await this.#reader.assemble(orgId, handle, outcome.item, platform);
        return { candidate: changed ?? (await this.#reader.inspect(orgId, handle)), changed: true };
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
    sections: SectionWrite,
  ): Promise<Outcome> {
    if (referencesIn(seen).length > 0) await sections.giveNotice();
    const item: CandidateItem = {
      ...candidateKey(orgId, handle.digest),
      status: "erased",
      receivedAt: seen.receivedAt,
      updatedAt,
      promotedAt: seen.promotedAt,
      writeId,
      itemVersion: ORDINARY_ITEM,
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

  #sectionWrite(orgId: string, digest: string, writeId: string): SectionWrite {
    return new SectionWrite(this.#parts, candidateKey(orgId, digest).pk, writeId);
  }

  /**
   * The attributes by which members that are too much for one item fit: references to those that are
   * stored in parts now, and the form that the item has by that.
   *
   * @param next the members as they are to be
   * @param current the members as the item has them
   */
  async #layOut(next: ItemMembers, current: ItemMembers, sections: SectionWrite): Promise<Layout> {
    if (outgrowsAnswers(next, current)) {
      throw new PayloadTooLarge(
        "The candidate would be larger than an answer of 6 MB can tell. Send less of it.",
      );
    }
    const references: Record<string, SectionReference> = {};
    for (const [section, packed] of membersWithoutRoom(next)) {
      references[section] = await sections.store(section, packed, current[section]);
    }
    const members = { ...next, ...references };
    if (replacedReferences(current, members).length > 0) await sections.giveNotice();
    return { ...references, itemVersion: isLarge(members) ? LARGE_ITEM : ORDINARY_ITEM };
  }

  /** Removes the parts that a write has replaced, which nothing can name again. What fails is left to the sweep. */
  async #removeReplaced(orgId: string, { digest }: Handle, seen: CandidateItem, written: CandidateItem) {
    const { pk } = candidateKey(orgId, digest);
    try {
      await Promise.all(
        replacedReferences(seen, written).map(([section, reference]) =>
          this.#parts.remove(pk, section, reference),
        ),
      );
    } catch (error) {
      logger.warn("parts left to the sweep", { cause: error });
    }
  }

  /** An update of the very version that was seen, laid out anew. */
  async #laidOut(update: Update, seen: CandidateItem, sections: SectionWrite): Promise<Update> {
    const next: CandidateItem = { ...seen, ...update.set };
    const removed = new Set(update.remove);
    const members = Object.entries(membersOf(next)).filter(([name]) => !removed.has(name));
    const layout = await this.#layOut(Object.fromEntries(members), membersOf(seen), sections);
    return {
      ...update,
      set: { ...update.set, ...layout },
      conditions: [...update.conditions, "#updatedAt = :seen"],
      values: { ...update.values, ":seen": seen.updatedAt },
    };
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
  #after(version?: string): string {
    const next = version === undefined ? 0 : Date.parse(version) + 1;
    return new Date(Math.max(this.#now().getTime(), next)).toISOString();
  }
}

/** A change as an update of the version that it was decided on. */
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
      ...statuses,
      ...(promoting && { promotedAt: updatedAt }),
      ...(revoking && { consentGiven: false }),
      ...(typeof workReadinessScore === "number" && { workReadinessScore }),
      ...(assessments && packMembers({ assessments }).attributes),
      ...(event && { event: firing(event, updatedAt, reasons), eventSequence: seen.eventSequence + 1 }),
    },
    assign: revoking ? beforeRevocation.remember : {},
    remove: [...(workReadinessScore === null ? ["workReadinessScore"] : []), ...(event ? [] : ["event"])],
    conditions: [],
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
    throw error;
  }
}

/** An amend that need not know what it amends, unless the candidate is large. */
function withoutLook(update: Update): Update {
  return {
    ...update,
    set: { ...update.set, itemVersion: ORDINARY_ITEM },
    conditions: [
      ...update.conditions,
      "(attribute_not_exists(#itemVersion) OR #itemVersion <= :itemVersion)",
    ],
  };
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
