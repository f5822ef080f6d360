import type { Recovery } from "#contract/recovery";
import type { WebhookEndpointRepository } from "#webhooks/endpoints/webhook-endpoint-repository";
import type { RecoveryRepository } from "#webhooks/recoveries/recovery-repository";
import { toRecovery } from "#webhooks/recoveries/stored-recovery";

export interface GetRecoveryService {
  readonly endpoints: Pick<WebhookEndpointRepository, "get">;
  readonly recoveries: Pick<RecoveryRepository, "get">;
  readonly now: () => Date;
}

/**
 * A recovery of an endpoint.
 *
 * @throws NotFound if the organisation has no such endpoint, or the endpoint no such recovery
 */
export async function getRecovery(
  orgId: string,
  endpointId: string,
  recoveryId: string,
  { endpoints, recoveries, now }: GetRecoveryService,
): Promise<Recovery> {
  const { id } = await endpoints.get(orgId, endpointId);
  return toRecovery(await recoveries.get(id, recoveryId), now());
}
