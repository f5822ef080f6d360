import * as z from "zod/mini";
import { ExternalId } from "#contract/candidate-submission";
import { ErrorEnvelope } from "#contract/error-envelope";
import { list, object } from "#contract/values";

/** The most submissions in one batch. */
export const BATCH_ROWS = 100;

/**
 * The body of `POST /v1/candidate-batches` (an extension). Each row is validated by itself as a `CandidateSubmission`,
 * so that an invalid one does not affect the others.
 */
export const CandidateBatch = /* @__PURE__ */ object({
  candidates: /* @__PURE__ */ list(/* @__PURE__ */ z.unknown(), BATCH_ROWS, 1),
});

/** The result of a row that a create would acknowledge. */
export const ReceivedRow = z.object({
  externalId: z.string(),
  status: z.literal(201),
  stagedId: z.string(),
  receivedAt: z.string(),
  /** Whether the candidate existed already. */
  replayed: z.boolean(),
});

/** The result of a row that a create would refuse, or could not acknowledge. */
export const RefusedRow = z.object({
  /** Null if the row has no valid one. */
  externalId: z.nullable(z.string()),
  /** The status code that a create would get. */
  status: z.int().check(z.gte(400), z.lte(599)),
  error: ErrorEnvelope.shape.error,
  message: z.string(),
});

/** One row's result. */
export const BatchResult = z.union([ReceivedRow, RefusedRow]);
export type BatchResult = z.infer<typeof BatchResult>;

/** The response to `POST /v1/candidate-batches`: a result for each row, in the order sent. */
export const CandidateBatchResponse = z.object({ results: z.array(BatchResult) });

const Identified = /* @__PURE__ */ z.object({ externalId: ExternalId });

/** The `externalId` of a row that may be invalid otherwise; null if it has no valid one. */
export function externalIdOf(row: unknown): string | null {
  return Identified.safeParse(row).data?.externalId ?? null;
}
