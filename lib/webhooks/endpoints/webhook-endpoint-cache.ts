import { MINUTE } from "#runtime/durations";
import type { EndpointVersions } from "#webhooks/endpoints/parse-items";
import type { StoredEndpoint } from "#webhooks/endpoints/stored-endpoint";
import type { WebhookEndpointRepository } from "#webhooks/endpoints/webhook-endpoint-repository";

type EndpointReads = Pick<WebhookEndpointRepository, "find" | "list" | "versions">;

/**
 * How long an organisation's endpoints are kept, in ms. A process may miss for at most this time that an endpoint
 * became slow, failing or healthy, or was put on probation, if the process that recorded it ended before it raised the
 * version.
 */
const KEPT_FOR_MS = MINUTE;

/** The most organisations whose endpoints a process keeps: 6 MB, if each has 50 of some 600 bytes. */
const MOST_ORGANISATIONS = 200;

/** How many endpoints a query reads for one read unit of 4 KB. */
const ENDPOINTS_PER_UNIT = 6;

interface Kept {
  readonly since: number;
  /** The endpoints that have been read, by id. */
  readonly endpoints: Map<string, StoredEndpoint>;
}

/**
 * The webhook endpoints that a process has read, used again while their versions are unchanged. Only the first call for
 * an organisation reads no versions, so that rare events take one read. All later calls read them with strong
 * consistency, so no endpoint is older than the call. An endpoint contains its version: one that is changed between the
 * two reads is never kept under another version.
 */
export class WebhookEndpointCache {
  readonly #reads: EndpointReads;
  readonly #now: () => Date;
  readonly #kept = new Map<string, Kept>();

  constructor(reads: EndpointReads, now: () => Date) {
    this.#reads = reads;
    this.#now = now;
  }

  /** All endpoints of an organisation, oldest first. */
  async list(orgId: string): Promise<readonly StoredEndpoint[]> {
    const endpoints = this.#endpointsOf(orgId);
    if (!endpoints) return this.#listed(orgId, this.#keep(orgId));
    const versions = await this.#reads.versions(orgId);
    return areAll(endpoints, versions) ? [...endpoints.values()] : this.#listed(orgId, endpoints);
  }

  /** The endpoint, or undefined if the organisation has none with this id. */
  async find(orgId: string, endpointId: string): Promise<StoredEndpoint | undefined> {
    const endpoints = this.#endpointsOf(orgId);
    if (!endpoints) return this.#found(orgId, endpointId, this.#keep(orgId));
    const versions = await this.#reads.versions(orgId);
    const endpoint = endpoints.get(endpointId);
    if (isCurrent(endpoint, versions)) return endpoint;
    const outdated = Object.keys(versions.byEndpoint).filter((id) => !isCurrent(endpoints.get(id), versions));
    if (outdated.length <= versions.endpoints / ENDPOINTS_PER_UNIT) {
      return this.#found(orgId, endpointId, endpoints);
    }
    const listed = await this.#listed(orgId, endpoints);
    return listed.find(({ id }) => id === endpointId);
  }

  /** What is kept of an organisation; undefined if nothing is, or for too long. */
  #endpointsOf(orgId: string): Kept["endpoints"] | undefined {
    const kept = this.#kept.get(orgId);
    return kept && this.#now().getTime() - kept.since < KEPT_FOR_MS ? kept.endpoints : undefined;
  }

  #keep(orgId: string): Kept["endpoints"] {
    const endpoints = new Map<string, StoredEndpoint>();
    this.#kept.delete(orgId);
    this.#kept.set(orgId, { since: this.#now().getTime(), endpoints });
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MOST_ORGANISATIONS && oldest !== undefined) this.#kept.delete(oldest);
    return endpoints;
  }

  async #listed(orgId: string, endpoints: Kept["endpoints"]): Promise<readonly StoredEndpoint[]> {
    const listed = await this.#reads.list(orgId);
    endpoints.clear();
    for (const endpoint of listed) endpoints.set(endpoint.id, endpoint);
    return listed;
  }

  async #found(
    orgId: string,
    endpointId: string,
    endpoints: Kept["endpoints"],
  ): Promise<StoredEndpoint | undefined> {
    const endpoint = await this.#reads.find(orgId, endpointId);
    if (endpoint) endpoints.set(endpointId, endpoint);
    return endpoint;
  }
}

/** Whether an endpoint is as it was when the versions were read. */
function isCurrent(endpoint: StoredEndpoint | undefined, { byEndpoint }: EndpointVersions): boolean {
  return endpoint !== undefined && endpoint.version === byEndpoint[endpoint.id];
}

/** Whether these are all endpoints of an organisation, and each is current. */
function areAll(endpoints: Kept["endpoints"], versions: EndpointVersions): boolean {
  return (
    endpoints.size === versions.endpoints &&
    [...endpoints.values()].every((endpoint) => isCurrent(endpoint, versions))
  );
}
