import * as z from "zod/mini";
import { idPattern } from "#contract/identifiers";
import { RecoveryRequest } from "#contract/recovery";
import { object, pattern } from "#contract/values";
import { endpointMembers } from "#webhooks/endpoints/endpoint-commands";

/** The payload of the private function `recover-deliveries`. */
export const RecoverDeliveries = object({
  ...endpointMembers,
  ...RecoveryRequest.shape,
  /** By default, since the endpoint has missed events because it was inactive. */
  since: z.optional(RecoveryRequest.shape.since),
});

/** The payload of the private function `inspect-recovery`. */
export const InspectRecovery = object({
  ...endpointMembers,
  recoveryId: pattern(idPattern("rec"), "a recovery's id"),
});
