import type { oas31 } from "zod-openapi";
import { BATCH_ROWS } from "#contract/candidate-batch";
import type { OperationId } from "#contract/operations";
import { BODY_LIMIT } from "./body-limit.ts";
import * as examples from "./candidate-examples.ts";
import type { WordsById } from "./operation-words.ts";
import { entityTag, replayed } from "./responses.ts";

const ifMatch: oas31.ParameterObject = {
  name: "If-Match",
  in: "header",
  required: false,
  description:
    'The `ETag` of the record when you read it, such as `"2026-11-21T09:04:00.000Z"`. If it has changed since, the response is 412 and nothing is written. ' +
    "A weak tag matches like the strong one, and up to 100 tags may be listed. Without the header, the last write of a member wins, and concurrent " +
    "writes of different members all take effect.",
  // Without an example: the reference's request form would send it, and the response would be a 412.
  schema: { type: "string" },
  "x-extension": true,
};

/** The operations that accept a receipt's `stagedId`. */
const withTheHandle = {
  getCandidate: {
    operationId: "getCandidate",
    parameters: { id: "$response.body#/stagedId" },
    description: "The candidate's record. `stagedId` is the `{id}`.",
  },
  amendCandidate: {
    operationId: "amendCandidate",
    parameters: { id: "$response.body#/stagedId" },
    description: "Amends the candidate. `stagedId` is the `{id}`.",
  },
  requestErasure: {
    operationId: "requestErasure",
    parameters: { id: "$response.body#/stagedId" },
    description: "Erases the candidate. `stagedId` is the `{id}`.",
  },
} as const satisfies Partial<Record<OperationId, oas31.LinkObject>>;

/** The descriptions of operations on candidates, in the order in which they appear. */
export const candidateOperations = {
  createCandidate: {
    tag: "Candidates",
    description:
      "Creates a candidate in intake. Idempotent on `externalId` within your organisation: a retry returns the " +
      "original response, creates no duplicate and fires no second event, even if its body differs. " +
      "To update data, amend the candidate.",
    body: {
      description: `The candidate. At most ${BODY_LIMIT}.`,
      examples: {
        smallest: { summary: "The smallest accepted candidate", value: examples.smallestSubmission },
        full: { summary: "A more complete candidate", value: examples.submission },
      },
    },
    success: {
      description:
        "Received. A retry with the same `externalId` returns the original response, with `Idempotent-Replayed: true`.",
      headers: replayed,
      examples: { receipt: { value: examples.receipt } },
      links: withTheHandle,
    },
  },
  createCandidateBatch: {
    tag: "Candidates",
    description:
      `Creates up to ${BATCH_ROWS} candidates, each with the rules and the event of a single create. The results are in the ` +
      "order sent: match them by position. A refused candidate does not affect the others, and the response is still " +
      "200; it is an error only if the batch as a whole cannot be read. If several candidates in a batch have the same " +
      "`externalId`, the first valid one is created and the later valid ones are replays. Repeating a batch is safe: candidates that " +
      "already exist are replayed. At most 20 batches a second in production, and one in development, from all callers " +
      "together.",
    body: {
      description: `The candidates. At most ${BODY_LIMIT} in all.`,
      examples: { batch: { value: examples.batch } },
    },
    success: {
      description: "A result for each candidate.",
      examples: { results: { summary: "One is received, one refused", value: examples.batchResponse } },
    },
  },
  findCandidate: {
    tag: "Candidates",
    description:
      "The record of the candidate that your organisation created with this `externalId`. Other query parameters are ignored.",
    query: {
      externalId: {
        description: "The `externalId` given at create, percent-encoded. Exactly one, not empty.",
        example: examples.submission.externalId,
      },
    },
    success: {
      description: "The candidate's record.",
      headers: entityTag,
      examples: { record: { value: examples.record } },
    },
    notFound: "CandidateNotFound",
  },
  getCandidate: {
    tag: "Candidates",
    description:
      "The candidate's record in the safe projection. Reads are consistent: a write is visible at once.",
    success: {
      description: "The candidate's record.",
      headers: entityTag,
      examples: { record: { value: examples.record } },
    },
    notFound: "CandidateNotFound",
  },
  amendCandidate: {
    tag: "Candidates",
    description:
      "Changes the members in the body and keeps all others. Neither `{}` nor an invalid body changes anything. " +
      "`documents` and `assessments` replace only part of the stored entries: see their descriptions. " +
      "**An empty list of `documents` also removes the sensitive ones, which no read returns.** A repeated " +
      "`consentGiven: false` returns 404 `consent_revoked`, which then means success.",
    headers: [ifMatch],
    body: { description: `The changes. At most ${BODY_LIMIT}.`, examples: examples.amendments },
    success: {
      description: "The record after the amend.",
      headers: entityTag,
      examples: { record: { value: examples.record } },
    },
    notFound: "CandidateNotFound",
  },
  requestErasure: {
    tag: "Candidates",
    description:
      "Erases the candidate permanently: its handles return 404 from then on, and `candidate.erased` fires. This also " +
      "works for a candidate that has withdrawn consent. If the `externalId` is not the record's, the request is refused " +
      "with 400 and nothing changes. A repeated request returns 404, which then means success. An environment may " +
      "refuse every erasure request with 400: contact the platform team in that case.",
    body: {
      description: "The candidate's `externalId`, so that a wrong id erases no candidate.",
      examples: { erasure: { value: { externalId: examples.submission.externalId } } },
    },
    success: { description: "Erased. Subscribers are notified later, and backups expire later." },
    notFound: "NoCandidateToErase",
  },
} satisfies Partial<WordsById>;
