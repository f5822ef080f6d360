import { type DynamoDBDocumentClient, GetCommand } from "@aws-sdk/lib-dynamodb";
import { PLATFORM_ASSESSMENTS } from "#candidates/assessments";
import type { Candidate } from "#candidates/candidate";
import { isSensitiveAttribute, SHARED_DOCUMENTS } from "#candidates/documents";
import { type Handle, handleOf, stagedIdOf } from "#candidates/handles";
import { REJECTIONS } from "#candidates/rejections";
import { type Access, known, readable } from "#candidates/store/access";
import { type CandidateItem, isShown, toCandidate } from "#candidates/store/item/candidate-item";
import { candidateKey } from "#candidates/store/item/candidate-key";
import { referencesIn } from "#candidates/store/item/section-reference";
import { type PartSources, SectionParts } from "#candidates/store/large/section-parts";
import { ServiceUnavailable } from "#contract/errors";
import type { Organisation } from "#contract/organisation";
import { runtime } from "#runtime/runtime";

/** Whose eyes a candidate is read for. */
export interface Audience {
  readonly access: Access;
  /** Whether an attribute is read where it is kept in parts. */
  reads(attribute: string): boolean;
}

/** Who sees the safe projection. */
export const integrators: Audience = { access: readable, reads: isShown };

/** Who moves candidates along: reads what a change is decided on. */
export function platform(attributes: readonly string[]): Audience {
  return { access: known, reads: (attribute) => attributes.includes(attribute) };
}

/** Who sees where a candidate stands, with what the platform keeps about it. */
const inspectors: Audience = {
  access: known,
  reads: (attribute) => isSensitiveAttribute(attribute) || INSPECTED.includes(attribute),
};
const INSPECTED: readonly string[] = ["assessments", PLATFORM_ASSESSMENTS, SHARED_DOCUMENTS, REJECTIONS];

/** How often a candidate is read again whose parts were replaced while they were read. */
const READ_ATTEMPTS = 5;

/** Reads the candidates of every organisation: one request each, unless a candidate is kept in parts. */
export class CandidateReader {
  readonly #client: DynamoDBDocumentClient;
  readonly #tableName: string;
  readonly #parts: SectionParts;

  constructor(client: DynamoDBDocumentClient, tableName: string, sources: PartSources = runtime) {
    this.#client = client;
    this.#tableName = tableName;
    this.#parts = new SectionParts(client, tableName, sources);
  }

  /** The candidate that the caller knows by its own identifier. Errors as {@link find}. */
  async findByExternalId(organisation: Organisation, externalId: string): Promise<Candidate> {
    return this.find(organisation.orgId, handleOf(organisation, externalId));
  }

  /**
   * The candidate, as of now.
   *
   * @throws NotFound when the organisation has no such candidate, or none under this kind of handle yet
   * @throws ConsentRevoked when access is frozen
   */
  async find(orgId: string, handle: Handle): Promise<Candidate> {
    return (await this.read(orgId, handle, integrators)).candidate;
  }

  /**
   * The candidate as the platform sees it: frozen ones too, and what is left of erased ones.
   *
   * @throws NotFound when the organisation has no such candidate, or none under this kind of handle yet
   */
  async inspect(orgId: string, handle: Handle): Promise<Candidate> {
    return (await this.read(orgId, handle, inspectors)).candidate;
  }

  /**
   * The candidate and its item, as of now.
   *
   * @throws what the audience's access throws
   * @throws ServiceUnavailable when its parts are replaced faster than they are read
   * @throws Error when a part is gone for good: its item goes on naming it
   */
  async read(orgId: string, handle: Handle, audience: Audience) {
    const versions = new Set<string>();
    for (let attempt = 0; attempt < READ_ATTEMPTS; attempt++) {
      const item = audience.access(await this.get(orgId, handle), handle);
      const candidate = await this.assemble(orgId, handle, item, audience);
      if (candidate) return { item, candidate };
      versions.add(item.updatedAt);
    }
    if (versions.size > 1) throw new ServiceUnavailable();
    throw new Error(`A part of ${stagedIdOf(handle.digest)} is gone: restore it from a backup.`);
  }

  async get(orgId: string, handle: Handle): Promise<CandidateItem | undefined> {
    const { Item } = await this.#client.send(
      new GetCommand({
        TableName: this.#tableName,
        Key: candidateKey(orgId, handle.digest),
        ConsistentRead: true,
      }),
    );
    return Item as CandidateItem | undefined;
  }

  /** The candidate that an item and the parts it names make; undefined when they have been replaced since. */
  async assemble(
    orgId: string,
    { digest }: Handle,
    item: CandidateItem,
    { reads }: Audience,
  ): Promise<Candidate | undefined> {
    const { pk } = candidateKey(orgId, digest);
    const wanted = referencesIn(item).filter(([section]) => reads(section));
    const packed = await Promise.all(
      wanted.map(async ([section, reference]) => [section, await this.#parts.read(pk, section, reference)]),
    );
    if (packed.some(([, bytes]) => bytes === undefined)) return undefined;
    return toCandidate(digest, item, Object.fromEntries(packed));
  }
}
