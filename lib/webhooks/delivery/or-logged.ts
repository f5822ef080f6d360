import { logger } from "#runtime/logger";
import type { DeliveryEndpoint } from "#webhooks/endpoints/delivery-endpoint";

/**
 * The result of recording what an attempt shows of its endpoint's health. A failure is only logged, and the result is
 * undefined: an error would repeat the attempt.
 */
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
