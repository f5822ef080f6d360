import type { Candidate } from "#candidates/candidate";
import { noSuchCandidate } from "#candidates/handles";
import { type Effect, effectOf, isReadable, type Transition } from "#candidates/lifecycle";
import type { Assessment } from "#contract/candidate-submission";
import { ConsentRevoked, InvalidRequest } from "#contract/errors";
import type { Reason } from "#contract/events";

/** What the platform changes of a candidate, after having read it. */
export interface Change {
  /** A step of the lifecycle, with the reasons that its event tells. */
  readonly effect?: Effect;
  readonly reasons?: readonly Reason[] | undefined;
  readonly workReadinessScore?: number | null;
  readonly assessments?: readonly Assessment[];
}

/** Decides a change from what a candidate is; undefined when there is nothing to change. */
export type Decision = (candidate: Candidate) => Change | undefined;

/**
 * Moves a candidate along its lifecycle.
 *
 * @throws InvalidRequest when its present status does not allow the transition
 */
export function transition(name: Transition, reasons?: readonly Reason[]): Decision {
  return ({ state }) => {
    const effect = effectOf(name, state);
    if (effect === "in effect") return undefined;
    if (effect === "refused") {
      throw new InvalidRequest(`transition: ${name} is not allowed from the status ${state.status}`);
    }
    return { effect, reasons };
  };
}

/**
 * Erases the candidate that a partner names by its `externalId` too.
 *
 * @throws NotFound when it is erased already: the response for one that never existed
 * @throws InvalidRequest when the record has another `externalId`
 */
export function erasureRequest(externalId: string): Decision {
  return (candidate) => {
    if (candidate.state.status === "erased") throw noSuchCandidate();
    if (candidate.members.externalId !== externalId) {
      throw new InvalidRequest("externalId: the externalId of this candidate is expected");
    }
    return transition("erase")(candidate);
  };
}

/** Sets the work-readiness score, 0 to 100, or null when there is none. */
export function workReadinessScore(score: number | null): Decision {
  return ({ state }) => {
    assertReadable(state.status);
    return (state.workReadinessScore ?? null) === score ? undefined : { workReadinessScore: score };
  };
}

/** How many assessments a candidate holds (contract, "Candidate submission"). */
const ASSESSMENTS = 50;

/**
 * Adds an assessment, or puts it in the place of the one with the same provider and `externalId`.
 *
 * @throws InvalidRequest when there is no room for another
 */
export function assessment(result: Assessment): Decision {
  return ({ state, members }) => {
    assertReadable(state.status);
    const assessments = [...(members.assessments ?? [])];
    const place = assessments.findIndex(
      ({ provider, externalId }) =>
        typeof externalId === "string" && externalId === result.externalId && provider === result.provider,
    );
    if (place >= 0) assessments[place] = result;
    else assessments.push(result);
    if (assessments.length > ASSESSMENTS) {
      throw new InvalidRequest(`assessment: the candidate holds ${ASSESSMENTS} already`);
    }
    return { assessments };
  };
}

function assertReadable(status: Candidate["state"]["status"]): void {
  if (status === "erased") throw noSuchCandidate();
  if (!isReadable(status)) throw new ConsentRevoked();
}
