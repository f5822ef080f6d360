import { logger } from "#runtime/logger";
import type { DeliveryEndpoint } from "#webhooks/endpoints/delivery-endpoint";

/** What an attempt shows of its endpoint's health must not repeat the attempt if it cannot be recorded. */
export async function orLogged<Recorded>(
  recorded: Promise<Recorded>,
  failure: string,
  { orgId, id }: Pick<DeliveryEndpoint, "orgId" | "id">,
): Promise<Recorded | undefined> {
  try {
    return await recorded;
  } catch (error) {
    logger.error(failure, { orgId, endpointId: id, cause: error });
    return undefined;
  }
}
