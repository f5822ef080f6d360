import type { DeliveryStatus } from "#contract/webhook-delivery";
import type { DeliveryLog, DeliveryRecord } from "#webhooks/delivery/delivery-log";

/**
 * The most records that are read at once, and for one page. A filter by status begins with as many as a page has, and
 * reads more each time, since most pages fill soon.
 */
const LARGEST_BATCH = 500;
const MOST_EXAMINED = 2_000;

interface PageOptions {
  readonly limit: number;
  /** The last event id of the previous page. */
  readonly after?: string | undefined;
  readonly status?: DeliveryStatus | undefined;
}

/**
 * A page of an endpoint's deliveries, newest first. Every page but the last is full, except if a status is so rare
 * that {@link MOST_EXAMINED} records do not fill the page.
 *
 * @returns the deliveries, and the event id after which to continue, if records remain
 */
export async function deliveryPage(
  endpointId: string,
  { limit, after, status }: PageOptions,
  log: Pick<DeliveryLog, "list">,
): Promise<{ readonly deliveries: readonly DeliveryRecord[]; readonly next?: string | undefined }> {
  const deliveries: DeliveryRecord[] = [];
  let batch = limit + 1;
  let examinedTo = after;
  for (let examined = 0; examined < MOST_EXAMINED; ) {
    const records = await log.list(endpointId, { limit: batch, after: examinedTo });
    deliveries.push(...records.filter((record) => !status || record.status === status));
    if (deliveries.length > limit) {
      return { deliveries: deliveries.slice(0, limit), next: deliveries[limit - 1]?.eventId };
    }
    if (records.length < batch) return { deliveries };
    examinedTo = records.at(-1)?.eventId;
    examined += batch;
    batch = Math.min(4 * batch, LARGEST_BATCH, MOST_EXAMINED - examined);
  }
  return { deliveries, next: examinedTo };
}
