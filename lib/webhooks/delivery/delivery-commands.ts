import * as z from "zod/mini";
import { OrgId } from "#contract/organisation";
import { expecting, integer, object } from "#contract/values";
import { DeliveryRecord } from "#webhooks/delivery/delivery-log";

const endpoint = {
  orgId: OrgId,
  endpointId: z.string({ error: expecting("a webhook endpoint's id") }),
};

/** How many deliveries are listed unless a limit is given. */
export const DELIVERIES_LISTED = 50;

/** What the private function `list-deliveries` is invoked with. */
export const ListDeliveries = object({
  ...endpoint,
  /** How many, newest first. */
  limit: z._default(integer(1, 100), DELIVERIES_LISTED),
  /** The event id that the page before ended with. */
  after: z.optional(z.string()),
});

export const DeliveryList = z.object({ data: z.array(DeliveryRecord) });

/** What the private function `resend-delivery` is invoked with. */
export const ResendDelivery = object({
  ...endpoint,
  eventId: z.string({ error: expecting("an event's id") }),
});

/** The dead-letter queues: of deliveries that exhausted their retries, events not published, and failed sweeps. */
export const DeadLetterQueue = z.enum(["deliveries", "events", "sweeps"]);
export type DeadLetterQueue = z.infer<typeof DeadLetterQueue>;

/** What the private function `redrive-dead-letters` is invoked with. */
export const RedriveDeadLetters = object({ queue: DeadLetterQueue });

/** What the private function `list-dead-letters` answers: what can be told of each letter, the first 100. */
export const DeadLetterList = z.object({
  data: z.array(
    z.object({
      queue: DeadLetterQueue,
      eventId: z.nullable(z.string()),
      eventType: z.nullable(z.string()),
      endpointId: z.nullable(z.string()),
      orgId: z.nullable(z.string()),
    }),
  ),
});
export type DeadLetterList = z.infer<typeof DeadLetterList>;

/** How many dead letters a redrive put back, and how many it had to leave. */
export const Redriven = z.object({ redriven: z.int(), left: z.int() });

/** What the private function `rotate-keyring` is invoked with. */
export const RotateKeyring = object({});

/** What `rotate-keyring` answers: the id of the key that seals from now on. */
export const RotatedKeyring = z.object({ current: z.string() });

/** What the private function `reseal-signing-secrets` is invoked with. */
export const ResealSigningSecrets = object({});

/** What `reseal-signing-secrets` answers: how many endpoints' secrets this invocation sealed anew. */
export const ResealedSigningSecrets = z.object({ resealed: z.int() });
