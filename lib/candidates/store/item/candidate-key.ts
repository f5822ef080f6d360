const PARTITION_KEY = /^CANDIDATE#([^#]+)#([0-9a-z]{26})$/;

/** The sort key of a candidate, beside which its parts lie. */
export const RECORD = "RECORD";

export interface CandidateKey {
  readonly pk: string;
  readonly sk: typeof RECORD;
}

/** The primary key of a candidate. The organisation is part of it: no handle reaches another's candidate. */
export function candidateKey(orgId: string, digest: string): CandidateKey {
  return { pk: `CANDIDATE#${orgId}#${digest}`, sk: RECORD };
}

/** Whose candidate a partition key names, or undefined for an item of another kind. */
export function parseCandidateKey(partitionKey: unknown): { orgId: string; digest: string } | undefined {
  const [, orgId, digest] = PARTITION_KEY.exec(String(partitionKey)) ?? [];
  return orgId && digest ? { orgId, digest } : undefined;
}
