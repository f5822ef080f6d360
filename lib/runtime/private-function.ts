import type * as z from "zod/mini";
import { parse } from "#contract/parse";
import { lambdaHandler } from "#runtime/lambda-handler";
import { logger } from "#runtime/logger";
import { serviceErrorOf } from "#runtime/service-error";

interface PrivateFunction<Input extends z.ZodMiniType<object>, Output> {
  readonly input: Input;
  /** The members of the input that the log line has: ids and kinds, never personal data or free text. */
  readonly loggedInput: readonly MemberOf<z.infer<Input>>[];
  run(input: z.infer<Input>): Promise<Output>;
  /** What the log line has of the output: ids and counts. */
  loggedOutput?(output: Output): Readonly<Record<string, unknown>>;
}

/** The name of a member of any type of a union. */
type MemberOf<Value> = Value extends unknown ? keyof Value : never;

/**
 * The handler of a function that only the platform may invoke (by IAM), with JSON that matches `input`. The invoker
 * receives a thrown error as the Invoke API's `errorType` and `errorMessage`. Logs one line per invocation: what it was
 * about, the outcome (`ok` or the error's name) and the duration (ms); and before it, an ERROR line for a fault.
 */
export function privateFunction<Input extends z.ZodMiniType<object>, Output>({
  input,
  loggedInput,
  run,
  loggedOutput,
}: PrivateFunction<Input, Output>) {
  let startedAt = 0;
  const finish = (outcome: string) => {
    logger.info("invocation", { outcome, durationMs: Math.round(performance.now() - startedAt) });
    logger.resetKeys();
  };
  return lambdaHandler<unknown, Output>()
    .before(() => {
      startedAt = performance.now();
    })
    .after(() => finish("ok"))
    .onError(({ error }) => {
      const fault = serviceErrorOf(error);
      if (fault.status >= 500) logger.error("invocation failed", { cause: fault.cause ?? fault });
      finish(error instanceof Error ? error.name : "Error");
    })
    .handler(async (event) => {
      const parsed = parse(input, event, "input");
      const names: ReadonlySet<PropertyKey> = new Set(loggedInput);
      logger.appendKeys(Object.fromEntries(Object.entries(parsed).filter(([name]) => names.has(name))));
      const output = await run(parsed);
      if (loggedOutput) logger.appendKeys(loggedOutput(output));
      return output;
    });
}
