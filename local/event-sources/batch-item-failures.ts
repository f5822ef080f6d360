import * as z from "zod";
import type { InvocationResult } from "../lambda/execution-environment.ts";

const BatchResponse = z
  .object({ batchItemFailures: z.array(z.object({ itemIdentifier: z.string() })).nullish() })
  .nullable();

/**
 * The identifiers of the records that a function reports as failed; "all" if the whole invocation failed, or if its
 * report contains identifiers that are not in the batch (Lambda developer guide, batch item failures).
 */
export function batchItemFailures(
  { payload, functionError }: InvocationResult,
  identifiers: readonly string[],
  reportsItemFailures: boolean,
): ReadonlySet<string> | "all" {
  if (functionError) return "all";
  if (!reportsItemFailures) return new Set();
  const report = BatchResponse.safeParse(JSON.parse(payload));
  if (!report.success) return "all";
  const failed = report.data?.batchItemFailures?.map(({ itemIdentifier }) => itemIdentifier) ?? [];
  return failed.every((identifier) => identifiers.includes(identifier)) ? new Set(failed) : "all";
}
