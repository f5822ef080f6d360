/** The data that the server sends to the page, and the types that both use. */
import type { AdvanceCandidate, CandidateSummary } from "../../lib/candidates/candidate-commands.ts";
import type { DisabledReason, EventType } from "../../lib/contract/events.ts";
import type { DeliveryAttempt, DeliveryStatus } from "../../lib/contract/webhook-delivery.ts";

/** The actions of a candidate's buttons: the transitions, and setting its score. */
export type CandidateAction = Exclude<AdvanceCandidate["transition"], "assess" | "remove-document">;

interface OrganisationView {
  /** The organisation's id. */
  readonly key: string;
}

export interface CandidateView
  extends Pick<
    CandidateSummary,
    | "stagedId"
    | "id"
    | "status"
    | "verificationStatus"
    | "availabilityStatus"
    | "workReadinessScore"
    | "receivedAt"
    | "updatedAt"
  > {
  /** The organisation's id and the `stagedId`, separated by a space. */
  readonly key: string;
  readonly orgId: string;
  /** Null after erasure. */
  readonly externalId: string | null;
  /** The actions that the current state allows. */
  readonly actions: readonly CandidateAction[];
}

export interface EventView {
  /** The event's id. */
  readonly key: string;
  readonly orgId: string;
  readonly type: EventType;
  /** Of the candidate's events; null if the event is about an endpoint. */
  readonly sequence: number | null;
  /** The id of the candidate or the endpoint that it is about. */
  readonly subject: string;
  readonly occurredAt: string;
  readonly sample: boolean;
  /** When it was appended to the organisation's event feed; null if it is not there. */
  readonly inFeedSince: string | null;
}

export interface EndpointView {
  /** The endpoint's id. */
  readonly key: string;
  readonly orgId: string;
  readonly url: string;
  readonly active: boolean;
  /** Its health as the API shows it, each null if there is nothing to say. */
  readonly failingSince: string | null;
  readonly disabledAt: string | null;
  readonly disabledReason: DisabledReason | null;
  readonly lastSuccessAt: string | null;
  /** Its inbox, if this console registered it and therefore has its secret. */
  readonly inbox: string | null;
}

/** The result of recomputing a signature. The console has secrets only of endpoints that it registered. */
export type SignatureCheck = "verified" | "wrong" | "missing" | "secret unknown";

/** A request as it was sent. */
export interface RequestView {
  readonly url: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
  /** Whether the body was cut. */
  readonly cut: boolean;
  readonly signature: SignatureCheck;
}

export interface AttemptView extends DeliveryAttempt {
  /** Null if nothing was sent, or if it was sent too long ago. */
  readonly request: RequestView | null;
}

export interface DeliveryView {
  readonly key: string;
  readonly orgId: string;
  readonly endpointId: string;
  readonly eventId: string;
  readonly eventType: EventType;
  readonly status: DeliveryStatus;
  readonly nextAttemptAt: string | null;
  readonly sample: boolean;
  readonly attempts: readonly AttemptView[];
}

/** The response of an inbox: a status code, or none. */
export const INBOX_ANSWERS = ["200", "429", "500", "410", "hang"] as const;
export type InboxAnswer = (typeof INBOX_ANSWERS)[number];

/** The `Retry-After` of an inbox's 429, in seconds. */
export const INBOX_RETRY_AFTER = 10;

interface InboxView {
  /** The inbox's name. */
  readonly key: string;
  readonly url: string;
  readonly answer: InboxAnswer;
}

export interface ReceivedView extends Omit<RequestView, "url"> {
  readonly key: string;
  readonly inbox: string;
  readonly receivedAt: string;
  readonly answer: InboxAnswer;
}

/** All lists on the page. */
export interface Lists {
  readonly organisations: OrganisationView;
  readonly candidates: CandidateView;
  readonly events: EventView;
  readonly endpoints: EndpointView;
  readonly deliveries: DeliveryView;
  readonly inboxes: InboxView;
  readonly received: ReceivedView;
}

/** The content of the stream's event `snapshot`. */
export type Snapshot = { readonly [Name in keyof Lists]: readonly Lists[Name][] };

/** The content of the stream's event `changes`. */
export type Changes = {
  readonly [Name in keyof Lists]?: {
    readonly put: readonly Lists[Name][];
    /** Keys. */
    readonly removed: readonly string[];
  };
};
