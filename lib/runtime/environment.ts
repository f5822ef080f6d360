import * as z from "zod/mini";

/** The environment of a deployment. Each has its own keys, tables and stacks. */
export const EnvironmentName = z.enum(["development", "production"]);
export type EnvironmentName = z.infer<typeof EnvironmentName>;

/** Whether a deployment accepts erasure requests from partners. The platform team can erase either way. */
export const ErasureRequests = z.enum(["accepted", "refused"]);
export type ErasureRequests = z.infer<typeof ErasureRequests>;

/**
 * How long deliveries are retried, and when an endpoint that fails is set inactive. With `practice`, minutes stand for
 * days, so that a person can go through the runbook; production refuses it.
 */
export const RetrySchedule = z.enum(["standard", "practice"]);
export type RetrySchedule = z.infer<typeof RetrySchedule>;

/**
 * The environment variables in `shape`, parsed once at start-up.
 *
 * @throws Error with the name, but never the value, of each variable that is missing or malformed
 */
export function readEnvironment<Shape extends z.core.$ZodShape>(shape: Shape, variables: NodeJS.ProcessEnv) {
  // It parses once, for which compiling a parser takes longer than it saves.
  const parsed = z.object(shape).safeParse(variables, { jitless: true });
  if (parsed.success) return parsed.data;
  const names = parsed.error.issues.map((issue) => issue.path.join("."));
  throw new Error(`Set these environment variables correctly: ${names.join(", ")}.`);
}

const TableName = z.string().check(z.minLength(1));

/** The name of the deployment's table. */
export function tableNameOf({ variables }: { readonly variables: NodeJS.ProcessEnv }): string {
  return readEnvironment({ TABLE_NAME: TableName }, variables).TABLE_NAME;
}
