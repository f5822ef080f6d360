import type * as z from "zod/mini";
import { InvalidRequest } from "#contract/errors";
import { describeProblems } from "#contract/problems";

/**
 * What a caller sent, in the form of a schema.
 *
 * @param root the name of the value as a whole in the message
 * @throws InvalidRequest that lists the problems by path
 */
export function parse<Schema extends z.ZodMiniType>(
  schema: Schema,
  value: unknown,
  root: string,
): z.infer<Schema> {
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw new InvalidRequest(describeProblems(parsed.error.issues, value, root));
  return parsed.data;
}
