import type { CandidateLives } from "#candidates/outbox/candidate-lives";
import type { RetrySchedule } from "#runtime/environment";
import type { DeliveryLog, RecordedOutcome } from "#webhooks/delivery/delivery-log";
import type { DeliveryQueue } from "#webhooks/delivery/delivery-queue";
import type { Retries } from "#webhooks/delivery/retries";
import type { WebhookClient } from "#webhooks/delivery/webhook-client";
import type { EndpointHealthRepository } from "#webhooks/endpoints/endpoint-health-repository";
import type { Lane } from "#webhooks/endpoints/lane";
import type { SigningSecrets } from "#webhooks/endpoints/signing-secrets";
import type { WebhookEndpointRepository } from "#webhooks/endpoints/webhook-endpoint-repository";

/** What deliveries are made with. */
export interface DeliveryService {
  /** The queue that the deliveries come from. */
  readonly lane: Lane;
  readonly schedule: RetrySchedule;
  readonly lives: Pick<CandidateLives, "find">;
  readonly endpoints: Pick<WebhookEndpointRepository, "find">;
  readonly health: Pick<
    EndpointHealthRepository,
    "succeeded" | "suspected" | "cut" | "failedLate" | "askedToWait" | "failed" | "deactivate"
  >;
  readonly signingSecrets: Pick<SigningSecrets, "open">;
  readonly retries: Pick<Retries, "send">;
  readonly deadLetters: Pick<DeliveryQueue, "send" | "park">;
  readonly log: Pick<DeliveryLog, "find" | "record">;
  readonly client: Pick<WebhookClient, "post">;
  readonly now: () => Date;
  readonly random: () => number;
}

/** The outcome of a message: what its delivery's record gets, and what is only logged or counted. */
export interface DeliveryOutcome extends RecordedOutcome {
  /** Whether this attempt deactivated the endpoint. */
  readonly endpointSetInactive?: boolean;
  /** Whether an attempt was cut short, to be made again from the retry queue. */
  readonly attemptCut?: boolean;
}
