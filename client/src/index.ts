export {
  type AmendOptions,
  type Candidate,
  CandidateServiceClient,
  type CreatedCandidate,
  type DeliveriesQuery,
  type SandboxTransition,
} from "./client.ts";
export type * from "./contract-types.ts";
export { CandidateServiceError, type ClientErrorCode } from "./error.ts";
export type { EventFeed, EventsQuery, FollowQuery } from "./event-feed.ts";
export type { Fetch, FetchInit, FetchResponse } from "./fetch.ts";
export type { CallOptions, ClientOptions, Retry } from "./options.ts";
export type { Reconciliation, SeenEvents, SequenceGap } from "./reconcile.ts";
export type { StartRecoveryRequest } from "./recovery.ts";
export { type VerifyWebhookOptions, verifyWebhook, type WebhookHeaders } from "./verify-webhook.ts";
