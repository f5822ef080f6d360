import * as z from "zod/mini";

/** The environment a deployment belongs to: keys, tables and stacks are separate. */
export const EnvironmentName = z.enum(["development", "production"]);
export type EnvironmentName = z.infer<typeof EnvironmentName>;

/** Whether a deployment accepts erasure requests of partners, or refuses them; the platform team erases in both. */
export const ErasureRequests = z.enum(["accepted", "refused"]);
export type ErasureRequests = z.infer<typeof ErasureRequests>;

/**
 * The environment variables that `shape` names, parsed once at start-up.
 *
 * @throws Error naming each variable that is missing or malformed, never its value
 */
export function readEnvironment<Shape extends z.core.$ZodShape>(shape: Shape, variables: NodeJS.ProcessEnv) {
  const parsed = z.object(shape).safeParse(variables);
  if (parsed.success) return parsed.data;
  const names = parsed.error.issues.map((issue) => issue.path.join("."));
  throw new Error(`Set these environment variables correctly: ${names.join(", ")}.`);
}

export const TableName = z.string().check(z.minLength(1));
