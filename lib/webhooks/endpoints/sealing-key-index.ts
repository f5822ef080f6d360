/** The index that finds endpoints by the keyring key with which their signing secrets are sealed. */
export const ENDPOINTS_BY_SEALING_KEY = {
  indexName: "endpointsBySealingKey",
  partitionKey: "sealingKeyId",
} as const;
