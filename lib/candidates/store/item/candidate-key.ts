const PARTITION_KEY = /^CANDIDATE#([^#]+)#([0-9a-z]{26})$/;

/** The sort key of a candidate. Its parts have the same partition key. */
export const RECORD = "RECORD";

export interface CandidateKey {
  readonly pk: string;
  readonly sk: typeof RECORD;
}

/** The primary key of a candidate. It contains the organisation, so a handle is valid in one organisation only. */
export function candidateKey(orgId: string, digest: string): CandidateKey {
  return { pk: `CANDIDATE#${orgId}#${digest}`, sk: RECORD };
}

/** The organisation and candidate in a partition key, or undefined for an item of another kind. */
export function parseCandidateKey(partitionKey: unknown): { orgId: string; digest: string } | undefined {
  const [, orgId, digest] = PARTITION_KEY.exec(String(partitionKey)) ?? [];
  return orgId && digest ? { orgId, digest } : undefined;
}
