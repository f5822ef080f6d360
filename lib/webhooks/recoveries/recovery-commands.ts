import * as z from "zod/mini";
import { OrgId } from "#contract/organisation";
import { RecoveryRequest } from "#contract/recovery";
import { expecting, object } from "#contract/values";

const endpoint = {
  orgId: OrgId,
  endpointId: z.string({ error: expecting("a webhook endpoint's id") }),
};

/** The payload of the private function `recover-deliveries`. */
export const RecoverDeliveries = object({
  ...endpoint,
  ...RecoveryRequest.shape,
  /** By default, since the endpoint has missed events because it was inactive. */
  since: z.optional(RecoveryRequest.shape.since),
});

/** The payload of the private function `inspect-recovery`. */
export const InspectRecovery = object({
  ...endpoint,
  recoveryId: z.string({ error: expecting("a recovery's id") }),
});
