import { isDeepStrictEqual } from "node:util";
import { hasIdentityOf, PLATFORM_ASSESSMENTS, withAssessment } from "#candidates/assessments";
import type { Candidate } from "#candidates/candidate";
import type { AdvanceCandidate, DocumentToRemove, PlatformAssessment } from "#candidates/candidate-commands";
import { documentsAttribute, documentsOfType } from "#candidates/documents";
import { noSuchCandidate } from "#candidates/handles";
import { type Effect, effectOf, isReadable } from "#candidates/lifecycle";
import { REJECTIONS } from "#candidates/rejections";
import { ConsentRevoked, InvalidRequest } from "#contract/errors";
import type { PlatformTransition } from "#contract/platform-transition";
import type { Reason } from "#contract/reason";

/** What to change in a candidate, decided from its current state. */
export interface Change {
  /** A lifecycle transition, with the reasons that its event carries. */
  readonly effect?: Effect;
  readonly reasons?: readonly Reason[] | undefined;
  readonly workReadinessScore?: number | null;
  /** The lists that replace the stored ones, by attribute. */
  readonly lists?: Readonly<Record<string, readonly unknown[]>>;
}

/** Decides how to change a candidate, given its current state. */
export interface Decision {
  /** The attributes that the decision needs. They are read even if they are stored in parts. */
  readonly reads: readonly string[];
  /** @returns undefined if there is nothing to change */
  decide(candidate: Candidate): Change | undefined;
}

/** The decision that a command of the platform asks for. */
export function decisionOf(command: AdvanceCandidate): Decision {
  switch (command.transition) {
    case "score":
      return workReadinessScore(command.score);
    case "assess":
      return assessment(command.assessment);
    case "remove-document":
      return documentRemoval(command);
    case "fail-validation":
      return transition(command.transition, command.reasons);
    default:
      return transition(command.transition);
  }
}

/** What to do about a refused transition, by the candidate's status. */
const REMEDIES: Readonly<Partial<Record<Candidate["state"]["status"], string>>> = {
  promoted: ". Use a candidate that is not promoted.",
  consent_revoked: ". Amend the candidate with consentGiven true first.",
  erased: ". Create the candidate again first.",
};

/**
 * Moves a candidate along its lifecycle.
 *
 * @throws InvalidRequest if the candidate's current status does not allow the transition
 */
export function transition(name: PlatformTransition, reasons?: readonly Reason[]): Decision {
  return {
    reads: name === "fail-validation" ? [REJECTIONS] : [],
    decide(candidate) {
      const effect = effectOf(name, candidate, reasons);
      if (effect === "in effect") return undefined;
      if (effect === "refused") {
        const { status } = candidate.state;
        throw new InvalidRequest(
          `transition: ${name} is not allowed from the status ${status}${REMEDIES[status] ?? ""}`,
        );
      }
      return { effect, reasons };
    },
  };
}

/**
 * The same decision for an integrator, to whom an erased candidate does not exist.
 *
 * @throws NotFound if it is erased: the same response as for a candidate that never existed
 */
export function unlessErased({ reads, decide }: Decision): Decision {
  return {
    reads,
    decide(candidate) {
      if (candidate.state.status === "erased") throw noSuchCandidate();
      return decide(candidate);
    },
  };
}

/**
 * Erases the candidate, provided that the `externalId` matches too.
 *
 * @throws NotFound as {@link unlessErased}
 * @throws InvalidRequest if the record has another `externalId`
 */
export function erasureRequest(externalId: string): Decision {
  const { reads, decide } = transition("erase");
  return unlessErased({
    reads,
    decide(candidate) {
      if (candidate.members.externalId !== externalId) {
        throw new InvalidRequest("externalId: the externalId of this candidate is expected");
      }
      return decide(candidate);
    },
  });
}

/**
 * Sets the work-readiness score, 0 to 100; null clears it.
 *
 * @internal Exported for tests.
 */
export function workReadinessScore(score: number | null): Decision {
  return {
    reads: [],
    decide({ state }) {
      assertReadable(state.status);
      return (state.workReadinessScore ?? null) === score ? undefined : { workReadinessScore: score };
    },
  };
}

/**
 * Adds an assessment to the platform's, or replaces the one with the same provider and `externalId`. A partner's
 * entry with that identity is overridden but kept.
 *
 * @internal Exported for tests.
 */
export function assessment(result: PlatformAssessment): Decision {
  return {
    reads: [PLATFORM_ASSESSMENTS],
    decide({ state, platformAssessments }) {
      assertReadable(state.status);
      const present = platformAssessments.find((entry) => hasIdentityOf(entry, result));
      if (isDeepStrictEqual(present, result)) return undefined;
      return { lists: { [PLATFORM_ASSESSMENTS]: withAssessment(platformAssessments, result) } };
    },
  };
}

/**
 * Removes one document, which may be of a sensitive type, from a candidate that is not erased.
 *
 * @throws InvalidRequest if there is no such document, its number is required, or the record has changed since
 * @internal Exported for tests.
 */
export function documentRemoval({ documentType, number, updatedAt }: DocumentToRemove): Decision {
  const attribute = documentsAttribute(documentType);
  return {
    reads: [attribute],
    decide({ state, members }) {
      if (state.status === "erased") throw noSuchCandidate();
      if (updatedAt !== state.updatedAt) {
        throw new InvalidRequest(
          "updatedAt: the record has changed since it was shown: run candidates show again",
        );
      }
      const stored = (members.documents ?? []).filter(
        (document) => documentsAttribute(document.documentType) === attribute,
      );
      const ofType = documentsOfType(stored, documentType);
      if (ofType.length === 0) {
        throw new InvalidRequest("documentType: the candidate has no document of this type");
      }
      const removed = number === undefined && ofType.length > 1 ? undefined : ofType[(number ?? 1) - 1];
      if (!removed) {
        throw new InvalidRequest(
          `number: a number from 1 to ${ofType.length} is expected, as shown by candidates show`,
        );
      }
      return { lists: { [attribute]: stored.filter((document) => document !== removed) } };
    },
  };
}

function assertReadable(status: Candidate["state"]["status"]): void {
  if (status === "erased") throw noSuchCandidate();
  if (!isReadable(status)) throw new ConsentRevoked();
}
