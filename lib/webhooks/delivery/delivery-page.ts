import type { DeliveryStatus } from "#contract/webhook-delivery";
import type { DeliveryLog, DeliveryRecord } from "#webhooks/delivery/delivery-log";

/** The number of records read at once when filtering by status, and the most for one page. */
const BATCH = 500;
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
  const batch = status ? BATCH : limit + 1;
  const deliveries: DeliveryRecord[] = [];
  let examinedTo = after;
  for (let examined = 0; examined < MOST_EXAMINED; examined += batch) {
    const records = await log.list(endpointId, { limit: batch, after: examinedTo });
    deliveries.push(...records.filter((record) => !status || record.status === status));
    if (deliveries.length > limit) {
      return { deliveries: deliveries.slice(0, limit), next: deliveries[limit - 1]?.eventId };
    }
    if (records.length < batch) return { deliveries };
    examinedTo = records.at(-1)?.eventId;
  }
  return { deliveries, next: examinedTo };
}
