import * as z from "zod/mini";
import { isRecoveryId } from "#contract/identifiers";
import { RecoveryRequest } from "#contract/recovery";
import { expecting, object } from "#contract/values";
import { endpointMembers } from "#webhooks/endpoints/endpoint-commands";

/** The payload of the private function `recover-deliveries`. */
export const RecoverDeliveries = object({
  ...endpointMembers,
  ...RecoveryRequest.shape,
  /** By default, since the endpoint has missed events because it was inactive. */
  since: z.optional(RecoveryRequest.shape.since),
});

const RECOVERY_ID = { error: expecting("a recovery's id") };

/** The payload of the private function `inspect-recovery`. */
export const InspectRecovery = object({
  ...endpointMembers,
  recoveryId: z.string(RECOVERY_ID).check(z.refine((id) => isRecoveryId(id), RECOVERY_ID)),
});
