import type { InvocationResult } from "../../../local/lambda/execution-environment.ts";
import type { FunctionDefinition } from "../../../local/lambda/function-definition.ts";
import { lineageAfter } from "../../../local/lambda/recursive-loop.ts";
import type { Random } from "../random.ts";
import type { VirtualClock } from "../virtual-clock.ts";
import { ExecutionEnvironment } from "./execution-environment.ts";

/** A handler as Lambda calls it. */
export type Handler = (event: unknown, context: object) => Promise<unknown>;

interface Dependencies {
  readonly clock: VirtualClock;
  readonly random: Random;
  /** The function's code, made anew for each environment. */
  start(environment: ExecutionEnvironment): Handler;
  /** Whether an environment is to end at some moment of an invocation. */
  endsDuringInvocation(environment: ExecutionEnvironment): boolean;
  readonly onInvocation: (ended: {
    readonly functionName: string;
    readonly result: InvocationResult;
  }) => void;
}

/** Clocks of environments are up to a second apart. */
const CLOCK_SKEW_MS = 1_000;
const COLD_START_MS = 300;
/** An environment that is to end during an invocation ends within so long, in ms. */
const LONGEST_LIFE_MS = 200;
/** In a share of invocations a warm environment has been recycled meanwhile. */
const RECYCLED = 0.05;

/** A Lambda function: environments that are made when all others are busy, reused, frozen in between, and end. */
export class SimulatedFunction {
  readonly definition: FunctionDefinition;
  readonly #dependencies: Dependencies;
  readonly #idle: { readonly environment: ExecutionEnvironment; readonly handler: Handler }[] = [];
  #made = 0;
  #requests = 0;

  constructor(definition: FunctionDefinition, dependencies: Dependencies) {
    this.definition = definition;
    this.#dependencies = dependencies;
  }

  /**
   * @param event its own from then on: middleware changes it
   * @param causes the trace headers of the messages in the event
   */
  async invoke(event: unknown, causes: readonly string[] = []): Promise<InvocationResult> {
    const { clock, onInvocation } = this.#dependencies;
    const isCold = this.#idle.length === 0;
    const instance = this.#take();
    const { environment, handler } = instance;
    if (isCold) await clock.delay(COLD_START_MS);
    environment.traceHeader = lineageAfter(this.definition.arn, causes);
    environment.eventSource = eventSourceOf(event);
    environment.thaw();
    this.#requests += 1;
    const end = await this.#run(environment, handler, event, `request-${this.#requests}`);
    environment.freeze();
    if (!environment.hasEnded) this.#idle.push(instance);
    onInvocation({ functionName: this.definition.name, result: end });
    return end;
  }

  #take() {
    const { random, clock, start } = this.#dependencies;
    const idle = this.#idle.pop();
    if (idle && !random.chance(RECYCLED)) return idle;
    idle?.environment.end();
    this.#made += 1;
    const id = `${this.definition.name}#${this.#made}`;
    const own = random.fork(id);
    const environment = new ExecutionEnvironment({
      id,
      clock,
      random: own,
      clockOffset: own.integer(-CLOCK_SKEW_MS / 2, CLOCK_SKEW_MS / 2),
      variables: this.definition.environment,
    });
    return { environment, handler: start(environment) };
  }

  #run(
    environment: ExecutionEnvironment,
    handler: Handler,
    event: unknown,
    requestId: string,
  ): Promise<InvocationResult> {
    const { clock, endsDuringInvocation } = this.#dependencies;
    const timeoutMs = this.definition.timeoutSeconds * 1000;
    const deadline = clock.now() + timeoutMs;
    const timers: (() => void)[] = [];
    return new Promise((resolve) => {
      const end = (result: InvocationResult) => {
        for (const cancel of timers) cancel();
        resolve(result);
      };
      const crash = (result: InvocationResult) => {
        end(result);
        environment.end();
      };
      const timedOut = failed(
        "Sandbox.Timedout",
        `Task timed out after ${this.definition.timeoutSeconds} seconds`,
      );
      timers.push(clock.after(timeoutMs, () => crash(timedOut)));
      environment.onEnd = () => end(EXITED);
      if (endsDuringInvocation(environment)) {
        timers.push(clock.after(environment.random.integer(0, LONGEST_LIFE_MS), () => crash(EXITED)));
      }
      const context = {
        awsRequestId: requestId,
        functionName: this.definition.name,
        functionVersion: "$LATEST",
        invokedFunctionArn: this.definition.arn,
        memoryLimitInMB: String(this.definition.memoryMegabytes),
        getRemainingTimeInMillis: () => deadline - clock.now(),
      };
      handler(event, context).then(
        (result) => {
          if (!environment.hasEnded) end({ payload: JSON.stringify(result) ?? "null" });
        },
        (error: unknown) => {
          if (environment.hasEnded) return;
          const { name, message } = error instanceof Error ? error : new Error(String(error));
          end(failed(name, message));
        },
      );
    });
  }
}

const EXITED = failed("Runtime.ExitError", "Runtime exited without providing a reason");

function failed(errorType: string, errorMessage: string): InvocationResult {
  return { payload: JSON.stringify({ errorType, errorMessage }), functionError: "Unhandled" };
}

function eventSourceOf(event: unknown): string | undefined {
  const { Records: [first] = [] } = event as { readonly Records?: readonly { eventSourceARN?: string }[] };
  return first?.eventSourceARN;
}
