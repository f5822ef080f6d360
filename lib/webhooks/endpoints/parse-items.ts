import * as z from "zod/mini";
import type { DeliveryEndpoint } from "#webhooks/endpoints/delivery-endpoint";

/**
 * The endpoint in an item as returned by DynamoDB, whether from a get, a query or a write. Only the signing secret is
 * checked.
 *
 * @throws Error if it is not an endpoint's item: each of those has a signing secret
 */
export function parseEndpointItem(attributes: Readonly<Record<string, unknown>>): DeliveryEndpoint {
  if (typeof attributes["sealedSecret"] !== "string") {
    throw new Error("The item of a webhook endpoint has no signing secret.");
  }
  return attributes as unknown as DeliveryEndpoint;
}

/** How many endpoints an organisation has, and the version of each by its id. */
const EndpointVersions = z.object({ endpoints: z.int(), byEndpoint: z.catchall(z.object({}), z.int()) });
export type EndpointVersions = z.infer<typeof EndpointVersions>;

/** Parses the item of an organisation's versions, whose other attributes are the ids of its endpoints. */
export function parseVersionsItem({
  pk,
  sk,
  endpoints = 0,
  ...byEndpoint
}: Readonly<Record<string, unknown>>): EndpointVersions {
  return EndpointVersions.parse({ endpoints, byEndpoint });
}
