import { logger } from "#runtime/logger";
import type { StoredEndpoint } from "#webhooks/endpoints/stored-endpoint";

/**
 * The result of recording what an attempt shows of its endpoint's health. A failure is only logged, and the result is
 * undefined: an error would repeat the attempt.
 */
export async function orLogged<Recorded>(
  recorded: Promise<Recorded>,
  failure: string,
  { orgId, id }: Pick<StoredEndpoint, "orgId" | "id">,
): Promise<Recorded | undefined> {
  try {
    return await recorded;
  } catch (error) {
    logger.error(failure, { orgId, endpointId: id, cause: error });
    return undefined;
  }
}
