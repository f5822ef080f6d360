/** The index that lists an organisation's keys. Only key items carry its partition key. */
export const KEYS_BY_ORGANISATION = { indexName: "keysByOrganisation", partitionKey: "keyOrgId" } as const;
