/**
 * The index that finds endpoints by the keyring key with which their signing secrets are sealed. It cannot be changed,
 * only replaced (docs/data-model.md#change-the-stored-form).
 */
export const ENDPOINTS_BY_SEALING_KEY = {
  indexName: "endpointsBySealingKey",
  partitionKey: "sealingKeyId",
} as const;
