/**
 * The index that lists an organisation's keys. It contains neither their hashes nor the handle key. Only key items
 * have its partition key.
 */
export const KEYS_BY_ORGANISATION = {
  indexName: "keysByOrganisation",
  partitionKey: "keyOrgId",
  attributes: ["keyId", "orgId", "name", "expiresAt", "revokedAt", "lastUsedAt"],
} as const;
