import middy from "@middy/core";
import type * as z from "zod/mini";
import { logger } from "#aws/logger";
import { InvalidRequest } from "#contract/errors";
import { describeProblems } from "#contract/problems";

interface PrivateFunction<Input extends z.ZodMiniType, Output> {
  readonly input: Input;
  run(input: z.infer<Input>): Promise<Output>;
}

/**
 * The handler of a function that only the platform may invoke (by IAM), with JSON that `input` describes.
 * What it throws reaches the invoker as the Invoke API's `errorType` and `errorMessage`.
 */
export function privateFunction<Input extends z.ZodMiniType, Output>({
  input,
  run,
}: PrivateFunction<Input, Output>) {
  return middy<unknown, Output>()
    .before(({ context }) => logger.addContext(context))
    .handler(async (event) => {
      const parsed = input.safeParse(event);
      if (!parsed.success) throw new InvalidRequest(describeProblems(parsed.error.issues, event, "input"));
      return run(parsed.data);
    });
}
