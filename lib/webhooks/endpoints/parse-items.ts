import * as z from "zod/mini";
import type { DeliveryEndpoint } from "#webhooks/endpoints/delivery-endpoint";

/** What every item of an endpoint has, and the functions rely on. */
const REQUIRED = {
  sealedSecret: isString,
  url: isString,
  createdAt: isString,
  eventTypes: Array.isArray,
} as const satisfies Partial<Record<keyof DeliveryEndpoint, (value: unknown) => boolean>>;

/**
 * The endpoint in an item as returned by DynamoDB, whether from a get, a query or a write. Only what a function could
 * not do without is checked.
 *
 * @throws Error with the item's sort key if it is not an endpoint's item, or is damaged
 */
export function parseEndpointItem(attributes: Readonly<Record<string, unknown>>): DeliveryEndpoint {
  for (const [name, isValid] of Object.entries(REQUIRED)) {
    if (!isValid(attributes[name]))
      throw new Error(`The item ${attributes["sk"]} of a webhook endpoint has no ${name}.`);
  }
  return attributes as unknown as DeliveryEndpoint;
}

function isString(value: unknown): boolean {
  return typeof value === "string";
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
