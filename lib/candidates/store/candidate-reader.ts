import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import type { Candidate } from "#candidates/candidate";
import { type Handle, handleOf } from "#candidates/handles";
import { type Audience, inspectors, integrators } from "#candidates/store/item/access";
import type { ReadCandidate } from "#candidates/store/item/candidate-item";
import { candidateKey } from "#candidates/store/item/candidate-key";
import { LargeCandidateReader } from "#candidates/store/large/large-candidate-reader";
import { type PartSources, SectionParts } from "#candidates/store/large/section-parts";
import type { Organisation } from "#contract/organisation";

/** Reads candidates across organisations: one request each, unless a candidate is stored in parts. */
export class CandidateReader {
  readonly #large: LargeCandidateReader;

  constructor(client: DynamoDBDocumentClient, tableName: string, sources: PartSources) {
    this.#large = new LargeCandidateReader(client, tableName, new SectionParts(client, tableName, sources));
  }

  /** The candidate with this `externalId`. Errors as {@link find}. */
  async findByExternalId(organisation: Organisation, externalId: string): Promise<Candidate> {
    return this.find(organisation.orgId, handleOf(organisation, externalId));
  }

  /**
   * The candidate, read consistently.
   *
   * @throws NotFound if the organisation has no such candidate, or the canonical id is not valid yet
   * @throws ConsentRevoked if access is frozen
   */
  async find(orgId: string, handle: Handle): Promise<Candidate> {
    return (await this.read(orgId, handle, integrators)).candidate;
  }

  /**
   * The candidate as the platform sees it, including frozen candidates and the tombstones of erased ones.
   *
   * @throws NotFound if the organisation has no such candidate, or the canonical id is not valid yet
   */
  async inspect(orgId: string, handle: Handle): Promise<Candidate> {
    return (await this.read(orgId, handle, inspectors)).candidate;
  }

  /**
   * The candidate and its item, read consistently.
   *
   * @throws what the audience's access throws
   * @throws ServiceUnavailable, Error as `LargeCandidateReader.read`
   */
  read(orgId: string, handle: Handle, audience: Audience): Promise<ReadCandidate> {
    return this.#large.read(candidateKey(orgId, handle.digest), handle, audience);
  }
}
