import { mergedAssessments } from "#candidates/assessments";
import type { Candidate } from "#candidates/candidate";
import type { CandidateSummary, InspectedCandidate } from "#candidates/candidate-commands";
import { documentsOfType } from "#candidates/documents";
import { handlesOf } from "#candidates/handles";

/** A candidate's standing, without anything that a partner submitted. */
export function summaryOf({ digest, state }: Pick<Candidate, "digest" | "state">): CandidateSummary {
  return {
    ...handlesOf(digest, state),
    status: state.status,
    verificationStatus: state.verificationStatus ?? null,
    availabilityStatus: state.availabilityStatus ?? null,
    workReadinessScore: state.workReadinessScore ?? null,
    firstSequence: state.firstSequence,
    sequence: state.sequence,
    receivedAt: state.receivedAt,
    promotedAt: state.promotedAt ?? null,
    updatedAt: state.updatedAt,
  };
}

/** A candidate as the platform sees it: documents only by type and time. */
export function platformView(candidate: Candidate): InspectedCandidate {
  const { members, platformAssessments, rejections } = candidate;
  const documents = (members.documents ?? []).map((document, _index, all) => {
    const { documentType, versions, currentVersion } = document;
    const number = documentsOfType(all, documentType).indexOf(document) + 1;
    const current = versions.find(({ version }) => version === currentVersion);
    return { documentType, number, versions: versions.length, uploadedAt: current?.uploadedAt ?? "" };
  });
  return {
    ...summaryOf(candidate),
    assessments: mergedAssessments(members.assessments ?? [], platformAssessments).length,
    platformAssessments: platformAssessments.length,
    documents,
    rejections,
  };
}
