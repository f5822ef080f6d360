/** The data that the server keeps and sends to the page. */
import type { AdvanceCandidate, CandidateSummary } from "../../lib/candidates/candidate-commands.ts";
import type { EventType } from "../../lib/contract/events.ts";
import type {
  DeliveryAttempt,
  DeliveryFailure,
  DeliveryStatus,
} from "../../lib/contract/webhook-delivery.ts";
import type { WebhookEndpoint } from "../../lib/contract/webhook-endpoint.ts";

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
  /** The types that it is subscribed to. */
  readonly eventTypes: readonly EventType[];
  readonly description: string | null;
  readonly active: boolean;
  /** Its health as the API shows it; a member that does not apply is null. */
  readonly failingSince: string | null;
  readonly disabledAt: string | null;
  readonly disabledReason: WebhookEndpoint["disabledReason"] | null;
  readonly lastSuccessAt: string | null;
  /** The time of the first event that it has missed because it was inactive; null if it has missed none. */
  readonly missedSince: string | null;
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
  readonly attempts: readonly DeliveryAttempt[];
}

/** The response of an inbox: a status code, or none. */
export const INBOX_RESPONSES = ["200", "429", "500", "410", "hang"] as const;
export type InboxResponse = (typeof INBOX_RESPONSES)[number];

/** The `Retry-After` of an inbox's 429, in seconds. */
export const INBOX_RETRY_AFTER = 10;

interface InboxView {
  /** The inbox's name. */
  readonly key: string;
  readonly url: string;
  readonly response: InboxResponse;
}

export interface ReceivedView extends Omit<RequestView, "url"> {
  /** `req_…` */
  readonly key: string;
  readonly inbox: string;
  readonly receivedAt: string;
  readonly response: InboxResponse;
}

/** All lists of the console. */
export interface Lists {
  readonly organisations: OrganisationView;
  readonly candidates: CandidateView;
  readonly events: EventView;
  readonly endpoints: EndpointView;
  readonly deliveries: DeliveryView;
  readonly inboxes: InboxView;
  readonly received: ReceivedView;
}

/** Some items of a list. */
export interface Page<Item> {
  readonly items: readonly Item[];
  /** How many items match in all. */
  readonly total: number;
  /** The most items that the console keeps, if it has removed older ones; otherwise null. */
  readonly newestOnly: number | null;
  /** The position after which the next page begins; null after the last page. */
  readonly next: string | null;
}

/** An event in a list. */
export interface EventRow extends EventView {
  /** The candidate's; null of an endpoint, and after erasure. */
  readonly externalId: string | null;
  /** Whether it is still to be appended to the event feed; false while the table is being read. */
  readonly awaitsFeed: boolean;
}

/** A delivery in a list: its requests are only in the opened delivery. */
export interface DeliveryRow extends Omit<DeliveryView, "attempts"> {
  /** The URL of the endpoint, or of the last request if the endpoint is deleted; null if neither is known. */
  readonly url: string | null;
  /** Whether its endpoint is deleted; false while the table is being read. */
  readonly isEndpointDeleted: boolean;
  /** The `externalId` of the event's candidate; null of an endpoint, and after erasure. */
  readonly externalId: string | null;
  readonly attempts: number;
  readonly lastAttemptAt: string | null;
  /** The status code of the last attempt's response, or why there was none; null before the first attempt. */
  readonly lastOutcome: number | DeliveryFailure | null;
  /** Of the last request; null if it is not known. */
  readonly signature: SignatureCheck | null;
}

/** An endpoint in a list: what it is subscribed to is only in the opened endpoint. */
export type EndpointRow = Omit<EndpointView, "eventTypes" | "description">;

/** A received request in a list: its headers and body are only in the opened request. */
export interface ReceivedRow extends Omit<ReceivedView, "headers" | "body" | "cut"> {
  readonly eventType: string | null;
  readonly eventId: string | null;
  readonly attempt: string | null;
}

/** The lists of the views. */
interface Rows {
  readonly candidates: CandidateView;
  readonly events: EventRow;
  readonly deliveries: DeliveryRow;
  readonly endpoints: EndpointRow;
  readonly received: ReceivedRow;
}

/** The opened item, with the latest items that belong to it. */
export type Opened =
  | { readonly kind: "candidate"; readonly candidate: CandidateView; readonly events: Page<EventRow> }
  | { readonly kind: "event"; readonly event: EventRow; readonly deliveries: Page<DeliveryRow> }
  | { readonly kind: "endpoint"; readonly endpoint: EndpointView; readonly deliveries: Page<DeliveryRow> }
  | {
      readonly kind: "delivery";
      readonly delivery: DeliveryRow;
      /** Null if it is deleted. */
      readonly endpoint: EndpointRow | null;
      readonly attempts: readonly AttemptView[];
    }
  | { readonly kind: "received"; readonly received: ReceivedView; readonly eventId: string | null }
  /** `newestOnly` is that of the list to which the id belongs. */
  | { readonly kind: "unknown"; readonly newestOnly: number | null };

/** Everything that a page shows. The server sends all of it again after each change. */
export interface Screen {
  /** Whether the table is still being read, so that lists are incomplete. */
  readonly isReading: boolean;
  readonly organisations: readonly string[];
  /** The organisation to which the lists and buttons apply. */
  readonly organisation: string;
  /** Whether the address names an organisation that does not exist. */
  readonly isOrganisationUnknown: boolean;
  /** The inbox named after the organisation, and inboxes registered manually under other names. */
  readonly inboxes: readonly InboxView[];
  /** The organisation's endpoints. */
  readonly endpoints: readonly EndpointRow[];
  /** The lists of the view. */
  readonly lists: { readonly [Name in keyof Rows]?: Page<Rows[Name]> };
  readonly opened: Opened | null;
}
