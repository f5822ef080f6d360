/** The primary key of an endpoint. */
export function endpointKey(orgId: string, endpointId: string) {
  return { pk: `ENDPOINTS#${orgId}`, sk: `ENDPOINT#${endpointId}` };
}

/** The key of the item that counts an organisation's endpoints, and holds the version of each under its id. */
export function versionsKey(orgId: string) {
  return { pk: `ENDPOINTS#${orgId}`, sk: "ENDPOINTS" };
}

/** The organisation's id in the partition key of an endpoint, or undefined for an item of another kind. */
export function parseEndpointKey(partitionKey: string | undefined): string | undefined {
  return /^ENDPOINTS#(.+)$/.exec(partitionKey ?? "")?.[1];
}
