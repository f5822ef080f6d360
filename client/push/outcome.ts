import { CandidateServiceError } from "../src/index.ts";
import { LONGEST_RETRY_AFTER_MS, mayPass } from "../src/retry.ts";
import { failureText, messageOf } from "../terminal/connection.ts";
import { duration } from "../terminal/duration.ts";
import { CommandError, type Correction } from "../terminal/errors.ts";
import { shortened } from "../terminal/shortened.ts";
import { isNotHttps } from "./reachability.ts";
import type { Refusal } from "./refused-file.ts";
import type { Row } from "./row.ts";

/** The outcome of one row. */
export type Outcome =
  | {
      readonly kind: "created" | "unchanged" | "amended" | "kept" | "valid";
      /** The members in which the candidate still differs from its row, because an amend cannot change them. */
      readonly differing?: readonly string[];
      /**
       * The members of its row that an amend cannot change, and that cannot be compared because no read returns them.
       */
      readonly uncompared?: readonly string[];
    }
  | { readonly kind: "refused"; readonly refusal: Refusal }
  /** The service failed; the row itself may be valid. */
  | { readonly kind: "failed"; readonly refusal: Refusal };

/** A processed row. */
interface Submitted {
  readonly row: Row;
  readonly outcome: Outcome;
}

/**
 * The action for a batch of rows. It yields each outcome as soon as it is known. Once `stop` is aborted, it may omit
 * rows that were not sent, and rows that another run repeats safely.
 *
 * @throws CommandError if every other row would fail the same way
 */
export type Submit = (rows: readonly Row[], stop: AbortSignal) => AsyncIterable<Submitted>;

/** Does nothing with rows, which have been checked. */
export const validateOnly: Submit = async function* (rows) {
  for (const row of rows) yield { row, outcome: { kind: "valid" } };
};

/** The status codes with which the service refuses a row because of its content. */
const REFUSING_STATUS = new Set([400, 404, 413]);

/**
 * The outcome of a row whose call failed.
 *
 * @throws CommandError if every other row would fail the same way
 */
export function outcomeOf(error: unknown): Outcome {
  if (!(error instanceof CandidateServiceError)) throw error;
  const { code, status = 0, requestId } = error;
  const refusal = { code: shortened(code), reason: shortened(messageOf(error)), requestId };
  const isRefused = REFUSING_STATUS.has(status) && code !== "unexpected_response";
  if (isRefused) return { kind: "refused", refusal };
  if (status === 500) return { kind: "failed", refusal };
  throw commandErrorOf(error);
}

/** Why the push ends, if a call fails with this error. */
export function commandErrorOf(error: unknown): unknown {
  if (!(error instanceof CandidateServiceError)) return error;
  const { retryAfterMs = 0 } = error;
  const wait =
    retryAfterMs > LONGEST_RETRY_AFTER_MS
      ? ` The service asks callers to wait ${duration(retryAfterMs / 1000)}.`
      : "";
  return new CommandError(`${failureText(error)}${wait}`, {
    cause: error,
    correct: correctionOf(error),
  });
}

/** A 403 does not come from the service, but from a gateway that refuses the key or, more often, the address. */
function correctionOf(error: CandidateServiceError): Correction | undefined {
  if (error.status === 401) return "key";
  return mayPass(error) && !isNotHttps(error) ? undefined : "address";
}
