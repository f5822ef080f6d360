import { CandidateStatus } from "#contract/candidate-status";
import type { EventType } from "#contract/events";
import { PLATFORM_TRANSITIONS, type PlatformTransition } from "#contract/platform-transition";

/** The lifecycle of docs/guides/lifecycle.md, written down a second time: what the code is compared with. */

export type Status = CandidateStatus | "erased";
type Verification = "in_review" | "verified";
type Availability = "pending" | "available";

export interface Statuses {
  readonly status: Status;
  readonly verification: Verification;
  readonly availability: Availability;
}

/** The platform's, and the partner's own, which create and amend make. */
export const ALL_TRANSITIONS = [...PLATFORM_TRANSITIONS, "create", "restore-consent"] as const;

export const STATUSES: readonly Status[] = [...CandidateStatus.options, "erased"];

type Kept = "kept";
/** What it was before consent was revoked. */
type AsBefore = "before revocation";

interface Row {
  readonly status: Status | AsBefore;
  readonly verification: Verification | Kept;
  readonly availability: Availability | Kept | AsBefore;
  readonly event: EventType;
}

/** What a transition comes to: the new statuses with its event, or nothing, or a refusal. */
export type ExpectedEffect = Row | "in effect" | "refused";

const toVerified: Row = {
  status: "verified",
  verification: "verified",
  availability: "kept",
  event: "candidate.verified",
};
const toPromoted: Row = {
  status: "promoted",
  verification: "kept",
  availability: "available",
  event: "candidate.promoted",
};
const toFailed: Row = {
  status: "validation_failed",
  verification: "kept",
  availability: "pending",
  event: "candidate.validation_failed",
};
const toRevoked: Row = {
  status: "consent_revoked",
  verification: "kept",
  availability: "pending",
  event: "candidate.consent_revoked",
};
const toErased: Row = {
  status: "erased",
  verification: "kept",
  availability: "kept",
  event: "candidate.erased",
};

const toReceived: Row = {
  status: "received",
  verification: "in_review",
  availability: "pending",
  event: "candidate.received",
};
const toRestored: Row = {
  status: "before revocation",
  verification: "kept",
  availability: "before revocation",
  event: "candidate.consent_restored",
};

/** A status, or a line of its own where a status alone does not decide. */
export type Line = Status | "promoted and verified" | "failed for these very reasons";

/** Every line with every transition. */
export const EXPECTED_EFFECTS: Record<(typeof ALL_TRANSITIONS)[number], Record<Line, ExpectedEffect>> = {
  create: {
    received: "in effect",
    validation_failed: "in effect",
    "failed for these very reasons": "in effect",
    verified: "in effect",
    promoted: "in effect",
    "promoted and verified": "in effect",
    consent_revoked: "in effect",
    erased: toReceived,
  },
  "restore-consent": {
    received: "in effect",
    validation_failed: "in effect",
    "failed for these very reasons": "in effect",
    verified: "in effect",
    promoted: "in effect",
    "promoted and verified": "in effect",
    consent_revoked: toRestored,
    erased: "refused",
  },
  verify: {
    received: toVerified,
    validation_failed: toVerified,
    "failed for these very reasons": toVerified,
    verified: "in effect",
    promoted: { ...toVerified, status: "promoted" },
    "promoted and verified": "in effect",
    consent_revoked: "refused",
    erased: "refused",
  },
  promote: {
    received: toPromoted,
    validation_failed: toPromoted,
    "failed for these very reasons": toPromoted,
    verified: toPromoted,
    promoted: "in effect",
    "promoted and verified": "in effect",
    consent_revoked: "refused",
    erased: "refused",
  },
  "fail-validation": {
    received: toFailed,
    validation_failed: toFailed,
    "failed for these very reasons": "in effect",
    verified: toFailed,
    promoted: "refused",
    "promoted and verified": "refused",
    consent_revoked: "refused",
    erased: "refused",
  },
  "revoke-consent": {
    received: toRevoked,
    validation_failed: toRevoked,
    "failed for these very reasons": toRevoked,
    verified: toRevoked,
    promoted: toRevoked,
    "promoted and verified": toRevoked,
    consent_revoked: "in effect",
    erased: "refused",
  },
  erase: {
    received: toErased,
    validation_failed: toErased,
    "failed for these very reasons": toErased,
    verified: toErased,
    promoted: toErased,
    "promoted and verified": toErased,
    consent_revoked: toErased,
    erased: "in effect",
  },
};

/** What the guide says that a transition does from these statuses. */
export function expectedEffect(
  transition: PlatformTransition,
  { status, verification }: Statuses,
  { reasonsRepeat }: { readonly reasonsRepeat: boolean },
): ExpectedEffect {
  if (status === "promoted" && verification === "verified") {
    return EXPECTED_EFFECTS[transition]["promoted and verified"];
  }
  if (status === "validation_failed" && reasonsRepeat) {
    return EXPECTED_EFFECTS[transition]["failed for these very reasons"];
  }
  return EXPECTED_EFFECTS[transition][status];
}

/** The statuses after an effect. */
export function after(row: Row, before: Statuses, beforeRevocation: Statuses = before): Statuses {
  return {
    status: row.status === "before revocation" ? beforeRevocation.status : row.status,
    verification: row.verification === "kept" ? before.verification : row.verification,
    availability:
      row.availability === "kept"
        ? before.availability
        : row.availability === "before revocation"
          ? beforeRevocation.availability
          : row.availability,
  };
}

/** How a candidate enters intake. */
export const ENTERING: Statuses = { status: "received", verification: "in_review", availability: "pending" };
