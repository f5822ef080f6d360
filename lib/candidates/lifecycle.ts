import type { CandidateState } from "#candidates/candidate";
import type { EventType, Reason } from "#contract/events";
import { newEventId } from "#contract/identifiers";

/** What the platform does to a candidate; create and the withdrawal of consent through PUT stand beside it. */
export type Transition = "verify" | "promote" | "fail-validation" | "revoke-consent" | "erase";

/** What a transition makes of the state, and the event that tells of it. */
export interface Effect {
  readonly status: CandidateState["status"];
  readonly verificationStatus?: CandidateState["verificationStatus"];
  readonly availabilityStatus?: CandidateState["availabilityStatus"];
  readonly event: EventType;
}

/** The event that a transition leaves in the record's outbox; see `docs/decisions`. */
export interface OutboxEvent {
  readonly id: string;
  readonly type: EventType;
  readonly occurredAt: string;
  readonly reasons?: readonly Reason[] | undefined;
}

/** A new event for the outbox. */
export function firing(type: EventType, occurredAt: string, reasons?: readonly Reason[]): OutboxEvent {
  return { id: newEventId(), type, occurredAt, ...(reasons && { reasons }) };
}

/** What a record was before consent was withdrawn, kept to be restored when it is given again. */
export const beforeRevocation = {
  remember: {
    statusBeforeRevocation: "#status",
    availabilityStatusBeforeRevocation: "#availabilityStatus",
  },
  restore: {
    status: "if_not_exists(#statusBeforeRevocation, #status)",
    availabilityStatus: "if_not_exists(#availabilityStatusBeforeRevocation, #availabilityStatus)",
  },
} as const;

type Status = CandidateState["status"];
type Rule = Partial<Record<Status, Effect | "in effect">>;

const verified = {
  status: "verified",
  verificationStatus: "verified",
  event: "candidate.verified",
} as const satisfies Effect;

const promoted = {
  status: "promoted",
  availabilityStatus: "available",
  event: "candidate.promoted",
} as const satisfies Effect;

const validationFailed = {
  status: "validation_failed",
  availabilityStatus: "pending",
  event: "candidate.validation_failed",
} as const satisfies Effect;

/** Also what consent withdrawn through PUT does. */
export const consentRevoked = {
  status: "consent_revoked",
  availabilityStatus: "pending",
  event: "candidate.consent_revoked",
} as const satisfies Effect;

const erased = { status: "erased", event: "candidate.erased" } as const satisfies Effect;

/** How a candidate enters intake. */
export const received = {
  status: "received",
  verificationStatus: "in_review",
  availabilityStatus: "pending",
  event: "candidate.received",
} as const satisfies Effect;

/** From each status, what a transition does; a status that is not named refuses it. */
const rules: Record<Transition, Rule> = {
  verify: {
    received: verified,
    validation_failed: verified,
    verified: "in effect",
    promoted: { ...verified, status: "promoted" },
  },
  promote: {
    received: promoted,
    validation_failed: promoted,
    verified: promoted,
    promoted: "in effect",
  },
  "fail-validation": {
    received: validationFailed,
    validation_failed: "in effect",
    verified: validationFailed,
  },
  "revoke-consent": {
    received: consentRevoked,
    validation_failed: consentRevoked,
    verified: consentRevoked,
    promoted: consentRevoked,
    consent_revoked: "in effect",
  },
  erase: {
    received: erased,
    validation_failed: erased,
    verified: erased,
    promoted: erased,
    consent_revoked: erased,
    erased: "in effect",
  },
};

/**
 * What a transition does from this state: an effect, nothing because it is in effect already, or nothing
 * because this state does not allow it.
 */
export function effectOf(
  transition: Transition,
  state: Pick<CandidateState, "status" | "verificationStatus">,
): Effect | "in effect" | "refused" {
  const effect = rules[transition][state.status] ?? "refused";
  if (transition === "verify" && state.status === "promoted" && state.verificationStatus === "verified") {
    return "in effect";
  }
  return effect;
}

/** Whether integrators may read and amend a candidate of this status. */
export function isReadable(status: Status): boolean {
  return status !== "consent_revoked" && status !== "erased";
}
