import type * as z from "zod/mini";
import { parse } from "#contract/parse";
import { lambdaHandler } from "#runtime/lambda-handler";
import { logger } from "#runtime/logger";
import { serviceErrorOf } from "#runtime/service-error";

interface PrivateFunction<Input extends z.ZodMiniType, Output> {
  readonly input: Input;
  run(input: z.infer<Input>): Promise<Output>;
}

/**
 * The handler of a function that only the platform may invoke (by IAM), with JSON that matches `input`. The invoker
 * receives a thrown error as the Invoke API's `errorType` and `errorMessage`. Logs one line per invocation: the
 * organisation, the outcome (`ok` or the error's name) and the duration (ms); and before it, an ERROR line for a fault.
 */
export function privateFunction<Input extends z.ZodMiniType, Output>({
  input,
  run,
}: PrivateFunction<Input, Output>) {
  let startedAt = 0;
  const finish = (outcome: string) => {
    logger.info("invocation", { outcome, durationMs: Math.round(performance.now() - startedAt) });
    logger.resetKeys();
  };
  return lambdaHandler<unknown, Output>()
    .before(({ context }) => {
      startedAt = performance.now();
      logger.addContext(context);
    })
    .after(() => finish("ok"))
    .onError(({ error }) => {
      const fault = serviceErrorOf(error);
      if (fault.status >= 500) logger.error("invocation failed", { cause: fault.cause ?? fault });
      finish(error instanceof Error ? error.name : "Error");
    })
    .handler(async (event) => {
      const parsed = parse(input, event, "input");
      if (isOfOrganisation(parsed)) logger.appendKeys({ orgId: parsed.orgId });
      return run(parsed);
    });
}

function isOfOrganisation(input: unknown): input is { readonly orgId: string } {
  return typeof input === "object" && input !== null && "orgId" in input;
}
