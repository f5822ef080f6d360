/**
 * The index that lists an organisation's keys: neither their hashes nor its handle key. Only key items carry its
 * partition key.
 */
export const KEYS_BY_ORGANISATION = {
  indexName: "keysByOrganisation",
  partitionKey: "keyOrgId",
  attributes: ["keyId", "orgId", "name", "expiresAt", "revokedAt", "lastUsedAt"],
} as const;
