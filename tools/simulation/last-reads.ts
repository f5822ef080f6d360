import type { Callers } from "./callers.ts";
import type { Gateway } from "./gateway.ts";
import type { Response } from "./history.ts";
import type { Random } from "./random.ts";
import type { SimulatedService } from "./service.ts";
import type { Story } from "./story.ts";

/** A person's record at the end of a story. */
export interface LastRead {
  readonly person: number;
  readonly byHandle: Response;
  readonly byExternalId: Response;
}

/** The deliveries of an endpoint, with any status or with a given one, in the order of the pages. */
export interface DeliveryList {
  readonly endpointId: string;
  readonly status: string | undefined;
  readonly deliveries: readonly Readonly<Record<string, unknown>>[];
}

/** The endpoints that an organisation lists. */
export interface EndpointList {
  readonly orgId: string;
  readonly endpoints: unknown;
}

/** The response to a read of a record whose parts were damaged. */
export interface DamagedRead {
  readonly person: number;
  readonly response: Response;
}

/** Far more deliveries than a story has: a list with more than this is endless. */
const MOST_DELIVERIES = 2_000;

/** What reads go through. */
export interface Access {
  readonly story: Story;
  readonly callers: Callers;
  readonly gateway: Gateway;
}

/** Each person's record, by handle and by externalId. */
export async function lastReads({ story, callers, gateway }: Access): Promise<LastRead[]> {
  const reads: LastRead[] = [];
  for (const [person, each] of story.people.entries()) {
    const { orgId, externalId } = each;
    const [byHandle, byExternalId] = await Promise.all([
      gateway.read(callers.request(orgId, "get-candidate", { id: callers.stagedIdOf(each) })),
      gateway.read(callers.request(orgId, "find-candidate", { query: { externalId } })),
    ]);
    reads.push({ person, byHandle, byExternalId });
  }
  return reads;
}

/**
 * The deliveries of each endpoint that is not deleted.
 *
 * @param endpoints the newest endpoint of each subscriber
 */
export async function deliveryLists(
  { story, callers, gateway }: Access,
  endpoints: ReadonlyMap<number, string>,
  random: Random,
): Promise<DeliveryList[]> {
  /** @returns undefined when the endpoint is deleted */
  const listOf = async (orgId: string, id: string, status: string | undefined) => {
    const deliveries: DeliveryList["deliveries"][number][] = [];
    let cursor: string | undefined;
    do {
      const query = { limit: "3", ...(cursor && { cursor }), ...(status && { status }) };
      const page = await gateway.read(callers.request(orgId, "list-webhook-deliveries", { id, query }));
      if (page.status !== 200) return undefined;
      const { data, nextCursor } = page.body as { data: typeof deliveries; nextCursor?: string };
      deliveries.push(...data);
      cursor = nextCursor;
    } while (cursor !== undefined && deliveries.length < MOST_DELIVERIES);
    return deliveries;
  };
  const lists: DeliveryList[] = [];
  for (const [subscriber, endpointId] of endpoints) {
    const { orgId } = story.subscribers[subscriber] as Story["subscribers"][number];
    for (const status of [undefined, "delivered", random.pick(["pending", "failed", "dropped"])]) {
      const deliveries = await listOf(orgId, endpointId, status);
      if (deliveries) lists.push({ endpointId, status, deliveries });
    }
  }
  return lists;
}

/** The endpoints that each organisation lists. */
export async function endpointLists({ story, callers, gateway }: Access): Promise<EndpointList[]> {
  const lists: EndpointList[] = [];
  for (const orgId of new Set(story.subscribers.map((each) => each.orgId))) {
    const { body } = await gateway.read(callers.request(orgId, "list-webhook-endpoints", {}));
    lists.push({ orgId, endpoints: (body as { data?: unknown } | undefined)?.data });
  }
  return lists;
}

/** The responses to reads of records, after what is in their parts was damaged. */
export async function damagedReads(
  { story, callers, gateway }: Access,
  service: SimulatedService,
): Promise<DamagedRead[]> {
  const reads: DamagedRead[] = [];
  for (const [person, each] of story.people.entries()) {
    const id = callers.stagedIdOf(each);
    if (!service.damageParts(id.replace("staged_", ""))) continue;
    reads.push({
      person,
      response: await gateway.read(callers.request(each.orgId, "get-candidate", { id })),
    });
  }
  return reads;
}
