import { ConditionalCheckFailedException, DynamoDBServiceException } from "@aws-sdk/client-dynamodb";
import {
  type DynamoDBDocumentClient,
  PutCommand,
  type PutCommandInput,
  UpdateCommand,
} from "@aws-sdk/lib-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import type { Candidate } from "#candidates/candidate";
import type { Change, Decision } from "#candidates/change";
import { type Handle, handleOf, noSuchCandidate, stagedIdOf } from "#candidates/handles";
import { consentRestored, consentRevoked, firing, received, type WriteStamp } from "#candidates/lifecycle";
import { existing, readable } from "#candidates/store/access";
import { type AmendOptions, amendmentUpdate, consentEffect } from "#candidates/store/amendment";
import { CandidateReader, integrators, platform } from "#candidates/store/candidate-reader";
import { changeUpdate } from "#candidates/store/change-update";
import {
  type CandidateItem,
  type ItemMembers,
  membersOf,
  packMembers,
  stateOf,
} from "#candidates/store/item/candidate-item";
import { candidateKey } from "#candidates/store/item/candidate-key";
import { ITEM_VERSION } from "#candidates/store/item/item-version";
import {
  referencesIn,
  replacedReferences,
  type SectionReference,
} from "#candidates/store/item/section-reference";
import {
  isLarge,
  membersWithoutRoom,
  ORDINARY_BYTES,
  outgrowsAnswers,
  type Writer,
} from "#candidates/store/large/candidate-size";
import { newWriteId, SectionParts, SectionWrite } from "#candidates/store/large/section-parts";
import { TOMBSTONE_DAYS } from "#candidates/tombstone";
import type { CandidateAmendment, CandidateSubmission, CreateResponse } from "#contract/candidate-submission";
import {
  ConsentRevoked,
  InvalidRequest,
  PayloadTooLarge,
  PreconditionFailed,
  ServiceUnavailable,
} from "#contract/errors";
import { newEventId } from "#contract/identifiers";
import type { Organisation } from "#contract/organisation";
import { logger } from "#runtime/logger";
import { type Runtime, runtime } from "#runtime/runtime";
import { type Update, updateExpression } from "#runtime/update-expression";

/** The answer to create, and whether it repeats that of an earlier call. */
export interface Receipt {
  readonly response: CreateResponse;
  readonly replayed: boolean;
}

/** What a conditional write came to: done, or refused by the item as it stands. */
interface Outcome {
  readonly done: boolean;
  readonly item: CandidateItem | undefined;
  /** Whether the SDK repeated a refused request: the first may have been done, and others have written since. */
  readonly repeated: boolean;
}

/** What the repository has from where it runs. */
type Sources = Omit<Runtime, "variables">;

/** References in the place of members that have no room, and whether amends must read the candidate first. */
interface Layout {
  readonly references: Readonly<Record<string, SectionReference>>;
  readonly large: boolean;
}

/** How often a write that loses a race on one candidate is repeated. */
const WRITE_ATTEMPTS = 20;

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
  readonly #sources: Sources;
  readonly #reader: CandidateReader;
  readonly #parts: SectionParts;

  constructor(client: DynamoDBDocumentClient, tableName: string, sources: Sources = runtime) {
    this.#client = client;
    this.#tableName = tableName;
    this.#sources = sources;
    this.#reader = new CandidateReader(client, tableName, sources);
    this.#parts = new SectionParts(client, tableName, sources);
  }

  /**
   * Takes a candidate into intake. The condition on the key makes it idempotent: a second submission with
   * the same `externalId` gets the first one's receipt from the very request that refused it. Where an erased
   * candidate's tombstone refuses it, a second request begins a new life whose events go on counting.
   *
   * @throws PayloadTooLarge when no answer could carry the candidate
   * @throws ServiceUnavailable when too many calls create and erase the same candidate
   */
  async receive(organisation: Organisation, submission: CandidateSubmission): Promise<Receipt> {
    const { orgId } = organisation;
    const handle = handleOf(organisation, submission.externalId);
    const writeId = newWriteId(this.#sources);
    const { attributes, jsonBytes } = packMembers(submission);
    const receipt = ({ receivedAt }: CandidateItem, replayed: boolean): Receipt => ({
      response: {
        stagedId: stagedIdOf(handle.digest),
        externalId: submission.externalId,
        status: "received",
        receivedAt,
      },
      replayed,
    });
    const sections = this.#sectionWrite(orgId, handle.digest, writeId);
    let present: CandidateItem | undefined;
    let layout: Layout = { references: {}, large: false };
    if (jsonBytes > ORDINARY_BYTES) {
      // A replay stores no parts for nothing.
      present = await this.#reader.get(orgId, handle);
      if (present && present.status !== "erased") return receipt(present, true);
      layout = await this.#layOut(attributes, {}, sections, "create");
    }
    const { event, ...statuses } = received;
    for (let attempt = 0; attempt < WRITE_ATTEMPTS; attempt++) {
      const stamp = this.#stamp(writeId, present?.updatedAt);
      const receivedAt = stamp.updatedAt;
      const sequence = (present?.sequence ?? 0) + 1;
      const item: CandidateItem = {
        ...candidateKey(orgId, handle.digest),
        ...attributes,
        ...layout.references,
        ...(layout.large && { large: true }),
        itemVersion: ITEM_VERSION,
        ...statuses,
        receivedAt,
        updatedAt: receivedAt,
        writeId,
        event: firing(event, stamp),
        sequence,
        firstSequence: sequence,
      };
      const outcome = await this.#put({ Item: item, ...(present ? inPlaceOf(present) : whereNoneIs) });
      if (outcome.done) return receipt(item, false);
      present = outcome.item;
      // Its own put, whose response was lost; others have written since.
      const wasOwn = outcome.repeated && present?.receivedAt === receivedAt;
      const isOwn = wasOwn || present?.writeId === writeId;
      if (present && (present.status !== "erased" || isOwn)) return receipt(present, !isOwn);
      // Its own put may have been done, and another life since: it must not bring back who was erased.
      if (outcome.repeated && present && present.updatedAt > receivedAt) break;
      // The put may have been done, and whoever replaced it removed its parts.
      if (outcome.repeated && Object.keys(layout.references).length > 0) break;
    }
    throw new ServiceUnavailable();
  }

  /**
   * Sets the members that the amendment names and keeps all others, in one request: amends of different
   * members that race all hold. `updatedAt` always moves forward, so an amend that finds a later one
   * than its own clock's is repeated with the next millisecond after it.
   *
   * A large amendment, or one of a large candidate, reads the candidate first and writes the version that
   * it read, else begins again. Consent given again to a frozen record takes a second request, which fires
   * the event: an update cannot set it only if the record is frozen.
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
    const writeId = newWriteId(this.#sources);
    const sections = this.#sectionWrite(orgId, handle.digest, writeId);
    const packed = packMembers(amendment);
    const access = amendment.consentGiven ? existing : readable;
    const look = async () => access(await this.#reader.get(orgId, handle), handle);
    let seen = packed.jsonBytes > ORDINARY_BYTES ? await look() : undefined;
    let current = seen;
    let mayBeDone = false;
    for (let attempt = 0; attempt < WRITE_ATTEMPTS; attempt++) {
      if (seen) assertVersion(seen.updatedAt, options);
      const stamp = this.#stamp(writeId, current?.updatedAt);
      const effect = consentEffect(amendment, current?.status === "consent_revoked");
      const update = amendmentUpdate(effect, handle, { ...options, ...stamp, packed });
      let outcome: Outcome;
      try {
        outcome = await this.#update(
          orgId,
          handle,
          seen ? await this.#laidOut(update, seen, sections, "amend") : withoutLook(update),
        );
      } catch (error) {
        if (seen || !isItemTooLarge(error)) throw error;
        seen = await look();
        current = seen;
        continue;
      }
      if (outcome.item && (outcome.done || outcome.item.writeId === writeId)) {
        if (seen) await this.#removeReplaced(orgId, handle, seen, outcome.item);
        await sections.discard(outcome.item);
        return (
          (await this.#reader.assemble(orgId, handle, outcome.item, integrators)) ??
          (await this.#sameLife(orgId, handle, outcome.item))
        );
      }
      const before = current?.sequence;
      mayBeDone ||= isUncertain(outcome, stamp);
      current = await orDiscard(sections, outcome.item, mayBeDone, () => {
        const item = access(outcome.item, handle);
        // Consent that this amend withdrew may have been given again, or the life that it changed be over: neither
        // must it withdraw once more, nor change the next life.
        const isOver = effect === consentRevoked || item.receivedAt > stamp.updatedAt;
        if (mayBeDone && isOver) throw new ServiceUnavailable();
        // What this amend restored, or kept, was revoked since: it must not restore it once more.
        const isRevokedSince = mayBeDone || (effect === consentRestored && item.sequence !== before);
        if (isRevokedSince && item.status === "consent_revoked") throw new ConsentRevoked();
        assertVersion(item.updatedAt, options);
        return item;
      });
      if (outcome.repeated) await sections.renew(current);
      if (seen || current.large) seen = current;
    }
    await sections.discard(current ?? {});
    throw new ServiceUnavailable();
  }

  /**
   * The platform's way to change a candidate: reads it, decides, and writes only if it is still what was
   * read, else reads and decides again. What is decided twice is written once, with one event. A life that
   * began in between is not changed, so that an erasure whose response was lost erases no other record.
   *
   * @returns where the candidate stands then; `changed` is true when this call made it so
   * @throws NotFound as `CandidateReader.inspect`, and when another life began; what `decide` throws
   * @throws PayloadTooLarge when no answer could carry the result
   * @throws ServiceUnavailable when too many changes of the same candidate race
   */
  async change(
    orgId: string,
    handle: Handle,
    { reads, decide }: Decision,
  ): Promise<{ readonly candidate: Pick<Candidate, "digest" | "state">; readonly changed: boolean }> {
    const writeId = newWriteId(this.#sources);
    const sections = this.#sectionWrite(orgId, handle.digest, writeId);
    const audience = platform(reads);
    let life: number | undefined;
    let mayBeDone = false;
    let sequence: number | undefined;
    for (let attempt = 0; attempt < WRITE_ATTEMPTS; attempt++) {
      const { item: seen, candidate } = await this.#reader.read(orgId, handle, audience);
      life ??= seen.firstSequence;
      const change: Change | undefined = await orDiscard(sections, seen, mayBeDone, () => {
        if (seen.firstSequence !== life) throw noSuchCandidate();
        const decided = decide(candidate);
        // A step that may have been done, and followed by another, must not be done once more. None follows an erasure.
        const isStep = decided?.effect !== undefined && decided.effect.status !== "erased";
        if (mayBeDone && isStep && seen.sequence !== sequence) throw new ServiceUnavailable();
        return decided;
      });
      if (!change) {
        await sections.discard(seen);
        return { candidate, changed: false };
      }
      const stamp = this.#stamp(writeId, seen.updatedAt);
      const outcome: Outcome =
        change.effect?.status === "erased"
          ? await this.#putTombstone(orgId, handle, seen, stamp, sections)
          : await this.#update(
              orgId,
              handle,
              await this.#laidOut(changeUpdate(change, candidate, stamp), seen, sections, "platform"),
            );
      if (outcome.item && (outcome.done || outcome.item.writeId === writeId)) {
        await this.#removeReplaced(orgId, handle, seen, outcome.item);
        await sections.discard(outcome.item);
        return { candidate: { digest: handle.digest, state: stateOf(outcome.item) }, changed: true };
      }
      mayBeDone ||= isUncertain(outcome, stamp);
      sequence = seen.sequence;
      if (outcome.repeated) await sections.renew(outcome.item ?? {});
    }
    throw new ServiceUnavailable();
  }

  /** Puts a tombstone in the candidate's place: key, status, times and the event. */
  async #putTombstone(
    orgId: string,
    handle: Handle,
    seen: CandidateItem,
    stamp: WriteStamp,
    sections: SectionWrite,
  ): Promise<Outcome> {
    const { updatedAt, writeId } = stamp;
    if (referencesIn(seen).length > 0) await sections.giveNotice();
    const item: CandidateItem = {
      ...candidateKey(orgId, handle.digest),
      status: "erased",
      receivedAt: seen.receivedAt,
      updatedAt,
      promotedAt: seen.promotedAt,
      writeId,
      itemVersion: ITEM_VERSION,
      event: firing("candidate.erased", stamp),
      sequence: seen.sequence + 1,
      firstSequence: seen.firstSequence,
      deleteAfter: Math.floor(Date.parse(updatedAt) / 1000) + TOMBSTONE_DAYS * 24 * 60 * 60,
    };
    const outcome = await this.#put({
      Item: item,
      ConditionExpression: "#updatedAt = :seen",
      ExpressionAttributeNames: { "#updatedAt": "updatedAt" },
      ExpressionAttributeValues: { ":seen": seen.updatedAt },
    });
    return outcome.done ? { ...outcome, item } : outcome;
  }

  #sectionWrite(orgId: string, digest: string, writeId: string): SectionWrite {
    return new SectionWrite(this.#parts, candidateKey(orgId, digest).pk, writeId);
  }

  /**
   * How members that are too much for one item fit: references to those that are stored in parts now.
   *
   * @param next the members as they are to be
   * @param current the members as the item has them
   */
  async #layOut(
    next: ItemMembers,
    current: ItemMembers,
    sections: SectionWrite,
    writer: Writer,
  ): Promise<Layout> {
    if (outgrowsAnswers(next, current, writer)) {
      throw new PayloadTooLarge("The candidate would exceed the largest response, 6 MB. Send less of it.");
    }
    const references: Record<string, SectionReference> = {};
    for (const [section, packed] of membersWithoutRoom(next)) {
      references[section] = await sections.store(section, packed, current[section]);
    }
    const members = { ...next, ...references };
    if (replacedReferences(current, members).length > 0) await sections.giveNotice();
    return { references, large: isLarge(members) };
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

  /**
   * The candidate as of now, whose parts others have replaced since it was written.
   *
   * @throws NotFound when another life has begun
   */
  async #sameLife(orgId: string, handle: Handle, written: CandidateItem): Promise<Candidate> {
    const { item, candidate } = await this.#reader.read(orgId, handle, integrators);
    if (item.firstSequence !== written.firstSequence) throw noSuchCandidate();
    return candidate;
  }

  /** An update of the very version that was seen, laid out anew. */
  async #laidOut(
    update: Update,
    seen: CandidateItem,
    sections: SectionWrite,
    writer: Writer,
  ): Promise<Update> {
    const next: CandidateItem = { ...seen, ...update.set };
    const removed = new Set(update.remove);
    const members = Object.entries(membersOf(next)).filter(([name]) => !removed.has(name));
    const { references, large } = await this.#layOut(
      Object.fromEntries(members),
      membersOf(seen),
      sections,
      writer,
    );
    return {
      ...update,
      set: { ...update.set, itemVersion: ITEM_VERSION, ...references, ...(large && { large }) },
      remove: [...(update.remove ?? []), ...(large ? [] : ["large"])],
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

  /** The stamp of a write: as of now, or of the millisecond after a version that is later than this process's clock. */
  #stamp(writeId: string, version?: string): WriteStamp {
    const next = version === undefined ? 0 : Date.parse(version) + 1;
    const updatedAt = new Date(Math.max(this.#sources.now().getTime(), next)).toISOString();
    return { updatedAt, writeId, eventId: newEventId(this.#sources) };
  }
}

/** The condition of a put: the candidate never was, or its tombstone has expired. */
const whereNoneIs = { ConditionExpression: "attribute_not_exists(pk)" };

/** The condition of a put: the item is still this very one. */
function inPlaceOf({ writeId }: CandidateItem) {
  return {
    ConditionExpression: "#writeId = :present",
    ExpressionAttributeNames: { "#writeId": "writeId" },
    ExpressionAttributeValues: { ":present": writeId },
  };
}

/**
 * Whether a write may have been done and followed by others: the SDK repeated its request, and the item that refuses
 * it is later than the write is.
 */
function isUncertain({ repeated, item }: Outcome, { updatedAt }: WriteStamp): boolean {
  return repeated && item !== undefined && item.updatedAt > updatedAt;
}

/**
 * What is judged of a write that was refused; where that ends the write, the parts go that it stored.
 *
 * @param mayBeDone whether an earlier request of the write may have been done
 * @throws ServiceUnavailable in the place of a refusal that would deny it then
 */
async function orDiscard<Judgement>(
  sections: SectionWrite,
  item: CandidateItem | undefined,
  mayBeDone: boolean,
  judge: () => Judgement,
): Promise<Judgement> {
  try {
    return judge();
  } catch (error) {
    await sections.discard(item ?? {});
    const denies = error instanceof InvalidRequest || error instanceof PreconditionFailed;
    throw mayBeDone && denies ? new ServiceUnavailable({ cause: error }) : error;
  }
}

async function attempt(send: () => Promise<{ Attributes?: unknown }>): Promise<Outcome> {
  try {
    const { Attributes } = await send();
    return { done: true, item: Attributes as CandidateItem | undefined, repeated: false };
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) {
      return {
        done: false,
        item: error.Item && (unmarshall(error.Item) as CandidateItem),
        repeated: (error.$metadata.attempts ?? 1) > 1,
      };
    }
    throw error;
  }
}

/** An amend that need not know what it amends, unless the candidate is large. */
function withoutLook(update: Update): Update {
  return {
    ...update,
    set: { ...update.set, itemVersion: ITEM_VERSION },
    conditions: [...update.conditions, "#itemVersion <= :itemVersion", "attribute_not_exists(#large)"],
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
