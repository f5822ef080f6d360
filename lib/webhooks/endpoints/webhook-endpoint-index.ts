/** The index that finds the endpoints whose signing secret a key of the keyring has sealed. */
export const ENDPOINTS_BY_SEALING_KEY = {
  indexName: "endpointsBySealingKey",
  partitionKey: "sealingKeyId",
} as const;
