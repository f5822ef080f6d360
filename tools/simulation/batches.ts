import type { Call, Response } from "./history.ts";
import type { Operation, Row, Step } from "./operations.ts";

/** A step of a story that creates one candidate, alone or as a row of a batch. */
export interface CreateStep extends Step {
  readonly operation: Extract<Operation, { name: "create" }>;
}

/** A request with a batch, and the response to the request as a whole. */
export interface BatchCall {
  readonly step: Step;
  readonly rows: readonly CreateStep[];
  /** Absent where there was none. */
  readonly response: Response | undefined;
}

/**
 * More rows than any batch of a story has. The number of a row is its step's number times this, plus its position.
 */
const MOST_ROWS = 100;

/** The rows of a batch as separate creates, which are subject to the same guarantees. */
export function rowsOf({ number, at }: Step, rows: readonly Row[]): CreateStep[] {
  return rows.map((row, index) => ({
    number: number * MOST_ROWS + index,
    at,
    operation: { name: "create", ...row },
  }));
}

/**
 * The result of a row, in the form of a response to a single create. If there are no results, it is the response to
 * the whole batch.
 */
export function responsesOf(calls: readonly Call[], whole: Response | undefined): (Response | undefined)[] {
  const { results } = (whole?.body ?? {}) as { results?: readonly Result[] };
  return calls.map((_, index) => {
    const result = results?.[index];
    if (!result) return whole;
    const { status, replayed, ...body } = result;
    return { status, headers: { ...(replayed && { "Idempotent-Replayed": "true" }) }, body };
  });
}

/** A row's result as the service returns it. */
export interface Result {
  readonly externalId: string | null;
  readonly status: number;
  readonly stagedId?: string;
  readonly receivedAt?: string;
  readonly replayed?: boolean;
  readonly error?: string;
  readonly message?: string;
}
