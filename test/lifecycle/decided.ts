import type { CandidateStatus } from "#contract/candidate-status";
import type { EventType } from "#contract/events";

/** The lifecycle as `docs/decisions` tells it, written down a second time: what the code is held against. */

export type Status = CandidateStatus | "erased";
type Verification = "in_review" | "verified";
type Availability = "pending" | "available";

export interface Standing {
  readonly status: Status;
  readonly verification: Verification;
  readonly availability: Availability;
}

export const TRANSITIONS = ["verify", "promote", "fail-validation", "revoke-consent", "erase"] as const;
export type TransitionName = (typeof TRANSITIONS)[number];

export const STATUSES = [
  "received",
  "validation_failed",
  "verified",
  "promoted",
  "consent_revoked",
  "erased",
] as const satisfies readonly Status[];

type Kept = "kept";

interface Row {
  readonly status: Status;
  readonly verification: Verification | Kept;
  readonly availability: Availability | Kept;
  readonly event: EventType;
}

/** What a transition comes to: the new standing with its event, or nothing, or a refusal. */
export type Decided = Row | "in effect" | "refused";

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

/** Every status with every transition. A promoted candidate that is verified already has its own line. */
export const DECIDED: Record<TransitionName, Record<Status | "promoted and verified", Decided>> = {
  verify: {
    received: toVerified,
    validation_failed: toVerified,
    verified: "in effect",
    promoted: { ...toVerified, status: "promoted" },
    "promoted and verified": "in effect",
    consent_revoked: "refused",
    erased: "refused",
  },
  promote: {
    received: toPromoted,
    validation_failed: toPromoted,
    verified: toPromoted,
    promoted: "in effect",
    "promoted and verified": "in effect",
    consent_revoked: "refused",
    erased: "refused",
  },
  "fail-validation": {
    received: toFailed,
    validation_failed: "in effect",
    verified: toFailed,
    promoted: "refused",
    "promoted and verified": "refused",
    consent_revoked: "refused",
    erased: "refused",
  },
  "revoke-consent": {
    received: toRevoked,
    validation_failed: toRevoked,
    verified: toRevoked,
    promoted: toRevoked,
    "promoted and verified": toRevoked,
    consent_revoked: "in effect",
    erased: "refused",
  },
  erase: {
    received: toErased,
    validation_failed: toErased,
    verified: toErased,
    promoted: toErased,
    "promoted and verified": toErased,
    consent_revoked: toErased,
    erased: "in effect",
  },
};

/** What the page says that a transition does from this standing. */
export function decided(transition: TransitionName, { status, verification }: Standing): Decided {
  const line = status === "promoted" && verification === "verified" ? "promoted and verified" : status;
  return DECIDED[transition][line];
}

/** The standing after an effect. */
export function after(row: Row, before: Standing): Standing {
  return {
    status: row.status,
    verification: row.verification === "kept" ? before.verification : row.verification,
    availability: row.availability === "kept" ? before.availability : row.availability,
  };
}

/** How a candidate enters intake. */
export const ENTERING: Standing = { status: "received", verification: "in_review", availability: "pending" };
