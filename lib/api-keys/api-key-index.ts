/**
 * The index that lists an organisation's keys. It contains neither their hashes nor the handle key. Only key items
 * have its partition key. It cannot be changed, only replaced (docs/data-model.md#change-the-stored-form).
 */
export const KEYS_BY_ORGANISATION = {
  indexName: "keysByOrganisation",
  partitionKey: "keyOrgId",
  attributes: ["keyId", "orgId", "name", "expiresAt", "revokedAt", "lastUsedAt"],
} as const;
