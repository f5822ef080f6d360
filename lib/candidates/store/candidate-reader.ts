import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import type { Candidate } from "#candidates/candidate";
import { type Handle, handleOf, stagedIdOf } from "#candidates/handles";
import { type Audience, inspectors, integrators } from "#candidates/store/item/access";
import { candidateKey } from "#candidates/store/item/candidate-key";
import { ItemReads } from "#candidates/store/large/item-reads";
import { type PartSources, SectionParts } from "#candidates/store/large/section-parts";
import type { Organisation } from "#contract/organisation";
import { logger } from "#runtime/logger";

/** Reads candidates across organisations: one request each, unless a candidate is stored in parts. */
export class CandidateReader {
  readonly #reads: ItemReads;

  constructor(client: DynamoDBDocumentClient, tableName: string, sources: PartSources) {
    this.#reads = new ItemReads(client, tableName, new SectionParts(client, tableName, sources));
  }

  /** The candidate with this `externalId`. Errors as {@link find}. */
  findByExternalId(organisation: Organisation, externalId: string): Promise<Candidate> {
    return this.find(organisation.orgId, handleOf(organisation, externalId));
  }

  /**
   * The candidate, read consistently.
   *
   * @throws NotFound if the organisation has no such candidate, or the canonical id is not valid yet
   * @throws ConsentRevoked if access is frozen
   * @throws ServiceUnavailable, Error as `ItemReads.read`
   */
  find(orgId: string, handle: Handle): Promise<Candidate> {
    return this.#read(orgId, handle, integrators);
  }

  /**
   * The candidate as the platform sees it, including frozen candidates and the tombstones of erased ones.
   *
   * @throws NotFound if the organisation has no such candidate, or the canonical id is not valid yet
   */
  inspect(orgId: string, handle: Handle): Promise<Candidate> {
    return this.#read(orgId, handle, inspectors);
  }

  async #read(orgId: string, handle: Handle, audience: Audience): Promise<Candidate> {
    try {
      const { candidate } = await this.#reads.read(candidateKey(orgId, handle.digest), handle, audience);
      return candidate;
    } catch (error) {
      // The item may be damaged: without the handle nobody could find it.
      logger.appendKeys({ stagedId: stagedIdOf(handle.digest) });
      throw error;
    }
  }
}
