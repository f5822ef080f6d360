import { randomUUID } from "node:crypto";
import type { AwsCall } from "./aws-calls.ts";
import { traceHeaderOf } from "./chain.ts";
import { ExecutionEnvironment, type InvocationResult } from "./execution-environment.ts";
import type { FunctionDefinition } from "./function-definition.ts";
import type { SentRequest } from "./sent-requests.ts";

/** A finished invocation: its JSON payload, and its JSON response or error. */
export interface Invocation {
  readonly functionName: string;
  readonly payload: string;
  readonly result: string;
}

interface LocalFunctionOptions {
  /** The addresses and credentials for the function's AWS clients. */
  readonly environment: Readonly<Record<string, string>>;
  onLog(functionName: string, line: string): void;
  readonly onAwsCall?: ((functionName: string, call: AwsCall) => void) | undefined;
  readonly onInvocation?: ((invocation: Invocation) => void) | undefined;
  /** Called with each request that the function sends with undici. */
  readonly onSentRequest?: ((request: SentRequest) => void) | undefined;
}

interface InvokeOptions {
  readonly requestId?: string;
  readonly causes?: readonly string[];
}

/** Sufficient on a developer's machine. Lambda's default for an account is 1,000. */
const MOST_ENVIRONMENTS = 10;

/**
 * A Lambda function on this machine. Execution environments run in worker threads. They are created if all others are
 * busy, up to a limit, and are kept warm. Invocations beyond the limit wait, while Lambda would throttle them. Only one
 * environment is created at a time: while ten load, the first could handle a whole burst.
 */
export class LocalFunction {
  readonly definition: FunctionDefinition;
  readonly #options: LocalFunctionOptions;
  readonly #bound: number;
  readonly #idle: ExecutionEnvironment[] = [];
  readonly #all = new Set<ExecutionEnvironment>();
  readonly #waiting: (() => void)[] = [];
  readonly #running = new Set<Promise<unknown>>();
  #loading = false;

  constructor(definition: FunctionDefinition, options: LocalFunctionOptions) {
    this.definition = definition;
    this.#options = options;
    this.#bound = definition.reservedConcurrency ?? MOST_ENVIRONMENTS;
  }

  /**
   * Runs the function with a JSON payload and waits for its response.
   *
   * @param causes the trace headers of the messages in the payload
   */
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

  /** Prepares an execution environment before the first invocation. */
  warm(): void {
    if (this.#all.size < this.#bound) this.#idle.push(this.#create());
  }

  /** Waits for running and waiting invocations, then ends every execution environment. */
  async close(): Promise<void> {
    await Promise.allSettled(this.#running);
    await Promise.all([...this.#all].map((environment) => environment.close()));
  }

  async #invoke(payload: string, requestId: string, traceHeader: string): Promise<InvocationResult> {
    const environment = await this.#take();
    const result = await environment.run(payload, requestId, traceHeader);
    if (this.#all.has(environment)) this.#idle.push(environment);
    this.#waiting.shift()?.();
    if (result.functionError) this.#logError(result.payload, requestId);
    return result;
  }

  async #take(): Promise<ExecutionEnvironment> {
    for (;;) {
      const idle = this.#idle.pop();
      if (idle) return idle;
      if (!this.#loading && this.#all.size < this.#bound) return this.#create();
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  #create(): ExecutionEnvironment {
    const { name, arn, memoryMegabytes, codeDirectory, handler, timeoutSeconds, logLevel } = this.definition;
    const { onAwsCall, onSentRequest } = this.#options;
    const environment = new ExecutionEnvironment({
      functionName: name,
      functionArn: arn,
      memoryMegabytes,
      codeDirectory,
      handler,
      timeoutSeconds,
      environment: {
        PATH: process.env["PATH"] ?? "",
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
      onEnd: () => {
        this.#all.delete(environment);
        const index = this.#idle.indexOf(environment);
        if (index >= 0) this.#idle.splice(index, 1);
        this.#waiting.shift()?.();
      },
    });
    this.#all.add(environment);
    this.#loading = true;
    void environment.loaded.then(() => {
      this.#loading = false;
      this.#waiting.shift()?.();
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
