import type * as z from "zod/mini";
import { mergedAssessments } from "#candidates/assessments";
import type { Candidate } from "#candidates/candidate";
import { isShared } from "#candidates/documents";
import { canonicalIdOf, stagedIdOf } from "#candidates/handles";
import { CandidateRecord } from "#contract/candidate-record";
import { isAbsent } from "#contract/rule";

/**
 * The candidate as integrators may see it. Only members listed in {@link CandidateRecord} are included, at every
 * depth, whatever else the candidate holds.
 */
export function toCandidateRecord(candidate: Candidate): CandidateRecord {
  return candidateRecord({
    ...candidate.members,
    ...candidate.state,
    id: candidate.state.promotedAt ? canonicalIdOf(candidate.digest) : stagedIdOf(candidate.digest),
    documents: candidate.members.documents?.filter(({ documentType }) => isShared(documentType)),
    assessments: mergedAssessments(candidate.members.assessments ?? [], candidate.platformAssessments),
  }) as CandidateRecord;
}

type Projection = (value: unknown) => unknown;

const candidateRecord = projectionOf(CandidateRecord);

/**
 * Copies the members listed in `schema`. An absent member becomes null if its schema is nullable, and an empty list or
 * object if its schema is a list or an object. It stays absent if it is optional. So records written before a member
 * existed read like those written after.
 */
function projectionOf(schema: z.core.$ZodType): Projection {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case "object": {
      const members = Object.entries(def.shape).map(
        ([name, member]) => [name, projectionOf(member)] as const,
      );
      return (value = {}) => {
        const source = value as Readonly<Record<string, unknown>>;
        const copy: Record<string, unknown> = {};
        for (const [name, project] of members) {
          const projected = project(Object.hasOwn(source, name) ? source[name] : undefined);
          if (projected !== undefined) copy[name] = projected;
        }
        return copy;
      };
    }
    case "array": {
      const project = projectionOf(def.element);
      return (value = []) => (value as readonly unknown[]).map((item) => project(item));
    }
    case "nullable": {
      const project = projectionOf(def.innerType);
      return (value = null) => (value === null ? null : project(value));
    }
    case "optional": {
      const project = projectionOf(def.innerType);
      return (value) => (isAbsent(value) ? value : project(value));
    }
    case "default":
      return projectionOf(def.innerType);
    default:
      return (value) => value;
  }
}
