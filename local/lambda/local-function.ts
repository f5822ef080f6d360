import { randomUUID } from "node:crypto";
import type { AwsCall } from "./aws-calls.ts";
import { EnvironmentPool } from "./environment-pool.ts";
import { ExecutionEnvironment, type InvocationResult } from "./execution-environment.ts";
import type { FunctionDefinition } from "./function-definition.ts";
import type { Processors } from "./processors.ts";
import { traceHeaderOf } from "./recursive-loop.ts";
import type { Semaphore } from "./semaphore.ts";
import type { SentRequest } from "./sent-requests.ts";

/** A finished invocation: its JSON payload, and its JSON response or error. */
export interface Invocation {
  readonly functionName: string;
  readonly payload: string;
  readonly result: string;
}

export interface LocalFunctionOptions {
  /** The addresses and credentials for the function's AWS clients. */
  readonly environment: Readonly<Record<string, string>>;
  /** Limits how many execution environments start at once. */
  readonly starts: Semaphore;
  /** Limits how many start at once of those that functions have beyond the processors. */
  readonly furtherStarts: Semaphore;
  readonly processors: Pick<Processors, "areBusy">;
  /** How long an execution environment is kept while it is idle, in ms. */
  readonly idleMs?: number;
  onLog(functionName: string, line: string): void;
  readonly onAwsCall?: ((functionName: string, call: AwsCall) => void) | undefined;
  readonly onInvocation?: ((invocation: Invocation) => void) | undefined;
  /** Called with each request that the function sends with undici. */
  readonly onSentRequest?: ((request: SentRequest) => void) | undefined;
}

interface InvokeOptions {
  readonly requestId?: string;
  /** The trace headers of the messages in the payload. */
  readonly causes?: readonly string[];
}

/** The most execution environments of a function without reserved concurrency. Lambda allows an account 1,000. */
const MOST_ENVIRONMENTS = 10;

/**
 * A Lambda function on this machine. Its execution environments run in worker threads. Invocations beyond the limit
 * wait, while Lambda would throttle them.
 */
export class LocalFunction {
  readonly definition: FunctionDefinition;
  readonly #options: LocalFunctionOptions;
  readonly #pool: EnvironmentPool;
  readonly #running = new Set<Promise<unknown>>();

  constructor(definition: FunctionDefinition, options: LocalFunctionOptions) {
    this.definition = definition;
    this.#options = options;
    const { starts, furtherStarts, processors, idleMs } = options;
    this.#pool = new EnvironmentPool({
      most: definition.reservedConcurrency ?? MOST_ENVIRONMENTS,
      starts,
      furtherStarts,
      processors,
      idleMs,
      create: (onEnd, hasLowPriority) => this.#create(onEnd, hasLowPriority),
    });
  }

  /** Runs the function with a JSON payload and waits for its response. */
  async invoke(
    payload: string,
    { requestId = randomUUID(), causes = [] }: InvokeOptions = {},
  ): Promise<InvocationResult> {
    const running = this.#invoke(payload, requestId, traceHeaderOf(this.definition.arn, causes));
    this.#running.add(running);
    try {
      const result = await running;
      this.#options.onInvocation?.({
        functionName: this.definition.name,
        payload,
        result: result.payload,
      });
      return result;
    } finally {
      this.#running.delete(running);
    }
  }

  /** Waits for running and waiting invocations, then ends every execution environment. */
  async close(): Promise<void> {
    await Promise.allSettled(this.#running);
    await this.#pool.close();
  }

  async #invoke(payload: string, requestId: string, traceHeader: string): Promise<InvocationResult> {
    const environment = await this.#pool.take();
    const result = await environment.run(payload, requestId, traceHeader);
    this.#pool.giveBack(environment);
    if (result.functionError) this.#logError(result.payload, requestId);
    return result;
  }

  #create(onEnd: (ended: ExecutionEnvironment) => void, hasLowPriority: boolean): ExecutionEnvironment {
    const { name, arn, memoryMegabytes, codeDirectory, handler, timeoutSeconds, logLevel } = this.definition;
    const { onAwsCall, onSentRequest } = this.#options;
    const environment: ExecutionEnvironment = new ExecutionEnvironment({
      functionName: name,
      functionArn: arn,
      memoryMegabytes,
      codeDirectory,
      handler,
      timeoutSeconds,
      hasLowPriority,
      environment: {
        PATH: process.env["PATH"] ?? "",
        NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] ?? "",
        LANG: "en_US.UTF-8",
        AWS_EXECUTION_ENV: "AWS_Lambda_nodejs24.x",
        AWS_LAMBDA_FUNCTION_NAME: name,
        AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(memoryMegabytes),
        AWS_LAMBDA_FUNCTION_VERSION: "$LATEST",
        AWS_LAMBDA_INITIALIZATION_TYPE: "on-demand",
        AWS_LAMBDA_LOG_FORMAT: "JSON",
        ...(logLevel && { AWS_LAMBDA_LOG_LEVEL: logLevel }),
        AWS_LAMBDA_LOG_GROUP_NAME: `/aws/lambda/${name}`,
        AWS_LAMBDA_LOG_STREAM_NAME: "local",
        LAMBDA_TASK_ROOT: codeDirectory,
        ...this.definition.environment,
        ...this.#options.environment,
      },
      onLog: (line) => this.#options.onLog(name, line),
      onAwsCall: onAwsCall && ((call) => onAwsCall(name, call)),
      onSentRequest,
      onEnd: () => onEnd(environment),
    });
    return environment;
  }

  // Lambda's runtime logs the error that a function throws; this is the same record.
  #logError(payload: string, requestId: string): void {
    const { errorType, errorMessage, trace } = JSON.parse(payload);
    this.#options.onLog(
      this.definition.name,
      JSON.stringify({
        timestamp: new Date().toISOString(),
        level: "ERROR",
        requestId,
        message: { errorType, errorMessage, stackTrace: trace },
      }),
    );
  }
}
