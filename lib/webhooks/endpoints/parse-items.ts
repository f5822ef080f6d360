import * as z from "zod/mini";
import type { StoredEndpoint } from "#webhooks/endpoints/stored-endpoint";

/** The item of an endpoint lacks what every endpoint has. No repetition can read it. */
export class DamagedEndpoint extends Error {
  override readonly name = "DamagedEndpoint";

  /** @param sk the item's sort key, which contains the id */
  constructor(sk: unknown, attribute: string) {
    super(`The item ${sk} of a webhook endpoint has no ${attribute}.`);
  }
}

/** What every item of an endpoint has, and the functions rely on. */
const REQUIRED = {
  sealedSecret: isString,
  url: isString,
  createdAt: isString,
  eventTypes: Array.isArray,
} as const satisfies Partial<Record<keyof StoredEndpoint, (value: unknown) => boolean>>;

/**
 * The endpoint in an item as returned by DynamoDB, whether from a get, a query or a write. Only what a function could
 * not do without is checked.
 *
 * @throws DamagedEndpoint if it is not an endpoint's item, or is damaged
 */
export function parseEndpointItem(attributes: Readonly<Record<string, unknown>>): StoredEndpoint {
  for (const [name, isValid] of Object.entries(REQUIRED)) {
    if (!isValid(attributes[name])) throw new DamagedEndpoint(attributes["sk"], name);
  }
  return attributes as unknown as StoredEndpoint;
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
