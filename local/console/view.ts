/** What the server tells the page, and both know by heart. */
import type { AdvanceCandidate, CandidateStanding } from "../../lib/candidates/candidate-commands.ts";
import type { EventType } from "../../lib/contract/events.ts";
import type { DeliveryAttempt, DeliveryStatus } from "../../lib/contract/webhook-delivery.ts";

/** What the buttons beside a candidate do: the transitions, and setting its score. */
export type CandidateAction = Exclude<AdvanceCandidate["transition"], "assess" | "remove-document">;

interface OrganisationView {
  /** The organisation's id. */
  readonly key: string;
}

export interface CandidateView
  extends Pick<
    CandidateStanding,
    | "stagedId"
    | "id"
    | "status"
    | "verificationStatus"
    | "availabilityStatus"
    | "workReadinessScore"
    | "receivedAt"
    | "updatedAt"
  > {
  /** The organisation's id and the `stagedId`, with a space between. */
  readonly key: string;
  readonly orgId: string;
  /** Null once erased. */
  readonly externalId: string | null;
  /** What the present state allows. */
  readonly actions: readonly CandidateAction[];
}

export interface EventView {
  /** The event's id. */
  readonly key: string;
  readonly orgId: string;
  readonly type: EventType;
  readonly sequence: number;
  readonly stagedId: string;
  readonly occurredAt: string;
  readonly sample: boolean;
}

interface EndpointView {
  /** The endpoint's id. */
  readonly key: string;
  readonly orgId: string;
  readonly url: string;
  readonly active: boolean;
  /** The inbox that it belongs to, if this console registered it and so knows its secret. */
  readonly inbox: string | null;
}

/** What recomputing a signature came to; the secret is known of endpoints that this console registered. */
export type SignatureCheck = "verified" | "wrong" | "missing" | "secret unknown";

/** A request as it went over the wire. */
export interface RequestView {
  readonly url: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
  /** Whether the body is longer than what is kept of it. */
  readonly cut: boolean;
  readonly signature: SignatureCheck;
}

export interface AttemptView extends DeliveryAttempt {
  /** Null when nothing was sent, or when it was sent too long ago. */
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

/** How an inbox answers: a status, or not at all. */
export const INBOX_ANSWERS = ["200", "429", "500", "410", "hang"] as const;
export type InboxAnswer = (typeof INBOX_ANSWERS)[number];

/** What a 429 of an inbox asks to wait, in seconds. */
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

/** Everything that is shown, list by list. */
export interface Lists {
  readonly organisations: OrganisationView;
  readonly candidates: CandidateView;
  readonly events: EventView;
  readonly endpoints: EndpointView;
  readonly deliveries: DeliveryView;
  readonly inboxes: InboxView;
  readonly received: ReceivedView;
}

/** What the event `snapshot` of the stream holds. */
export type Snapshot = { readonly [Name in keyof Lists]: readonly Lists[Name][] };

/** What the event `changes` of the stream holds. */
export type Changes = {
  readonly [Name in keyof Lists]?: {
    readonly put: readonly Lists[Name][];
    /** Keys. */
    readonly removed: readonly string[];
  };
};
