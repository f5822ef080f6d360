import type { Candidate, CandidateState } from "#candidates/candidate";
import { areSameReasons } from "#candidates/rejections";
import type { CandidateEventType } from "#contract/events";
import type { PlatformTransition } from "#contract/platform-transition";
import type { Reason } from "#contract/reason";

/** The status before consent was revoked. */
type BeforeRevocation = "before revocation";

/** What a transition does to a record, and the event that it fires. Statuses that are absent stay unchanged. */
export interface Effect {
  readonly status: Status | BeforeRevocation;
  readonly verificationStatus?: CandidateState["verificationStatus"];
  /** If consent is restored, this is restored with the status. */
  readonly availabilityStatus?: CandidateState["availabilityStatus"];
  /** Consent is withdrawn. The statuses are remembered, so that giving consent again restores them. */
  readonly withdrawsConsent?: true;
  /** The canonical id is valid from now on. */
  readonly setsPromotedAt?: true;
  /** The reasons are added to the record's rejections. */
  readonly addsRejection?: true;
  readonly event: CandidateEventType;
}

type Status = CandidateState["status"];
type Outcome = Effect | "in effect";
type Rule = Partial<Record<Status, Outcome>>;

/** People may withdraw consent, and demand an erasure, at any time: a new status must say how. */
interface Rules extends Record<PlatformTransition, Rule> {
  readonly "revoke-consent": Rule & Record<Exclude<Status, "erased">, Outcome>;
  readonly erase: Record<Status, Outcome>;
}

/** The initial state of a candidate. */
export const received = {
  status: "received",
  verificationStatus: "in_review",
  availabilityStatus: "pending",
  event: "candidate.received",
} as const satisfies Effect;

export const verified = {
  status: "verified",
  verificationStatus: "verified",
  event: "candidate.verified",
} as const satisfies Effect;

/** An already promoted candidate stays promoted. Written out, because bundlers do not tree-shake spreads. */
const verifiedLate = {
  status: "promoted",
  verificationStatus: "verified",
  event: "candidate.verified",
} as const satisfies Effect;

export const promoted = {
  status: "promoted",
  availabilityStatus: "available",
  setsPromotedAt: true,
  event: "candidate.promoted",
} as const satisfies Effect;

export const validationFailed = {
  status: "validation_failed",
  availabilityStatus: "pending",
  addsRejection: true,
  event: "candidate.validation_failed",
} as const satisfies Effect;

/** Also the effect of withdrawing consent through PUT. */
export const consentRevoked = {
  status: "consent_revoked",
  availabilityStatus: "pending",
  withdrawsConsent: true,
  event: "candidate.consent_revoked",
} as const satisfies Effect;

/** The effect of giving consent again through PUT. */
export const consentRestored = {
  status: "before revocation",
  event: "candidate.consent_restored",
} as const satisfies Effect;

export const erased = { status: "erased", event: "candidate.erased" } as const satisfies Effect;

/**
 * The effect of each of the platform's transitions by current status. A status without an entry refuses the
 * transition. Creating, and withdrawing or restoring consent by an amend, do not use this table: they are conditions
 * of their writes (`store/write`).
 */
const rules: Rules = {
  verify: {
    received: verified,
    validation_failed: verified,
    verified: "in effect",
    promoted: verifiedLate,
  },
  promote: {
    received: promoted,
    validation_failed: promoted,
    verified: promoted,
    promoted: "in effect",
  },
  "fail-validation": {
    received: validationFailed,
    validation_failed: validationFailed,
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
 * What a transition does to a candidate: its effect, `"in effect"` if the candidate is already in the resulting state,
 * or `"refused"` if the candidate's status does not allow it.
 *
 * @param reasons why validation failed
 */
export function effectOf(
  transition: PlatformTransition,
  { state, rejections }: Pick<Candidate, "state" | "rejections">,
  reasons: readonly Reason[] = [],
): Effect | "in effect" | "refused" {
  const { status, verificationStatus } = state;
  if (transition === "verify" && status === "promoted" && verificationStatus === "verified") {
    return "in effect";
  }
  if (transition === "fail-validation" && status === "validation_failed") {
    const last = rejections.at(-1)?.reasons ?? [];
    if (areSameReasons(reasons, last)) return "in effect";
  }
  return rules[transition][status] ?? "refused";
}

const READABLE: Readonly<Record<Status, boolean>> = {
  received: true,
  validation_failed: true,
  verified: true,
  promoted: true,
  consent_revoked: false,
  erased: false,
};

/** @throws Error if this code does not know the status, which newer code has written */
export function assertKnownStatus(status: Status): void {
  if (!Object.hasOwn(READABLE, status)) throw new Error(`The status ${status} of the candidate is unknown.`);
}

/**
 * Whether integrators may read and amend a candidate of this status.
 *
 * @throws as {@link assertKnownStatus}
 */
export function isReadable(status: Status): boolean {
  assertKnownStatus(status);
  return READABLE[status];
}

/** The statuses in which integrators may read and amend a candidate. */
export function readableStatuses(): readonly Status[] {
  return (Object.keys(READABLE) as Status[]).filter(isReadable);
}
