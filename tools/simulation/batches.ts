import type { Call, Response } from "./history.ts";
import type { Operation, Row, Step } from "./operations.ts";

/** A step of a story that creates one candidate, alone or as a row of a batch. */
export interface CreateStep extends Step {
  readonly operation: Extract<Operation, { name: "create" }>;
}

/** One request of a batch, and its response as a whole. */
export interface BatchCall {
  readonly step: Step;
  readonly rows: readonly CreateStep[];
  /** Absent where there was none. */
  readonly response: Response | undefined;
}

/** More rows than a batch of a story has: their numbers begin with their step's. */
const MOST_ROWS = 100;

/** The rows of a batch as creates of their own: what they promise is the same. */
export function rowsOf({ number, at }: Step, rows: readonly Row[]): CreateStep[] {
  return rows.map((row, index) => ({
    number: number * MOST_ROWS + index,
    at,
    operation: { name: "create", ...row },
  }));
}

/** The result of a row, in its response's order, as the response to a create; as the whole's if there are no results. */
export function responsesOf(calls: readonly Call[], whole: Response | undefined): (Response | undefined)[] {
  const { results } = (whole?.body ?? {}) as { results?: readonly Result[] };
  return calls.map((_, index) => {
    const result = results?.[index];
    if (!result) return whole;
    const { status, replayed, ...body } = result;
    return { status, headers: { ...(replayed && { "Idempotent-Replayed": "true" }) }, body };
  });
}

/** A row's result as it is returned. */
export interface Result {
  readonly externalId: string | null;
  readonly status: number;
  readonly stagedId?: string;
  readonly receivedAt?: string;
  readonly replayed?: boolean;
  readonly error?: string;
  readonly message?: string;
}
