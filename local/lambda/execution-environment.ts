import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { AwsCall } from "./aws-calls.ts";
import type {
  EnvironmentMessage,
  EnvironmentSettings,
  FunctionError,
  InvocationMessage,
  ObservedMessage,
} from "./messages.ts";
import type { SentRequest } from "./sent-requests.ts";
import { WORKER_PROGRAM } from "./worker-program.ts";

/** The result of an invocation: the function's response, or its error in the format of the Invoke API. */
export interface InvocationResult {
  readonly payload: string;
  readonly functionError?: "Unhandled";
}

interface ExecutionEnvironmentOptions
  extends Omit<EnvironmentSettings, "watchAwsCalls" | "watchSentRequests"> {
  readonly environment: Readonly<Record<string, string>>;
  readonly timeoutSeconds: number;
  onLog(line: string): void;
  readonly onAwsCall?: ((call: AwsCall) => void) | undefined;
  readonly onSentRequest?: ((request: SentRequest) => void) | undefined;
  /** Called once, when this environment can run no more invocations. */
  onEnd(): void;
}

/**
 * Lambda allows 10 s for loading a bundle. A machine that starts everything at once is slower, so this limit only
 * catches bundles that never finish loading.
 */
const INIT_TIMEOUT_MS = 30_000;

/** For new objects. Measured on 500 creates: Node's 48 MB take half as much memory again, and no less time. */
const YOUNG_MEGABYTES = 4;

/** A worker thread with a loaded bundle. It runs one invocation at a time, like Lambda's sandbox. */
export class ExecutionEnvironment {
  readonly #worker: Worker;
  readonly #options: ExecutionEnvironmentOptions;
  /** Resolves when the bundle is loaded, with the error if there was one. */
  readonly loaded: Promise<FunctionError | undefined>;
  #settle: ((message: EnvironmentMessage) => void) | undefined;
  #ended = false;

  constructor(options: ExecutionEnvironmentOptions) {
    this.#options = options;
    const { functionName, functionArn, memoryMegabytes, codeDirectory, handler, hasLowPriority } = options;
    const { onAwsCall, onSentRequest } = options;
    const settings: EnvironmentSettings = {
      functionName,
      functionArn,
      memoryMegabytes,
      codeDirectory,
      handler,
      hasLowPriority,
      watchAwsCalls: onAwsCall !== undefined,
      watchSentRequests: onSentRequest !== undefined,
    };
    this.#worker = new Worker(WORKER_PROGRAM, {
      eval: true,
      name: functionName,
      workerData: settings,
      env: { ...options.environment },
      execArgv: [],
      // The worker replaces both, and nothing may read them (output.ts).
      stdout: true,
      stderr: true,
      resourceLimits: { maxOldGenerationSizeMb: memoryMegabytes, maxYoungGenerationSizeMb: YOUNG_MEGABYTES },
    });
    const loading = this.#nextMessage(
      INIT_TIMEOUT_MS,
      timedOut(`Init exceeded ${INIT_TIMEOUT_MS / 1000} seconds`),
    );
    this.#worker.on("message", (message: EnvironmentMessage | ObservedMessage) => {
      if (message.kind === "wrote") for (const line of linesOf(message.text)) options.onLog(line);
      else if (message.kind === "called") onAwsCall?.(message.call);
      else if (message.kind === "sent") onSentRequest?.(message.request);
      else this.#settle?.(message);
    });
    this.#worker.on("error", (error) =>
      this.#end(exited(error instanceof Error ? error.message : "unknown")),
    );
    this.#worker.on("exit", (code) => this.#end(exited(`exit status ${code}`)));
    this.loaded = loading.then((message) => {
      if (message.kind === "ready") return undefined;
      const error = message.kind === "returned" ? exited("no handler") : message.error;
      this.#end(error);
      return error;
    });
  }

  get hasLowPriority(): boolean {
    return this.#options.hasLowPriority;
  }

  async run(payload: string, requestId: string, traceHeader: string): Promise<InvocationResult> {
    const unusable = await this.loaded;
    if (unusable) return failed(unusable);
    const timeoutMs = this.#options.timeoutSeconds * 1000;
    const response = this.#nextMessage(
      timeoutMs,
      timedOut(
        `RequestId: ${requestId} Error: Task timed out after ${(timeoutMs / 1000).toFixed(2)} seconds`,
      ),
    );
    if (this.#ended) this.#settle?.({ kind: "threw", error: exited("ended while idle") });
    else {
      const deadline = Date.now() + timeoutMs;
      this.#worker.postMessage({ payload, requestId, traceHeader, deadline } satisfies InvocationMessage);
    }
    const message = await response;
    if (message.kind === "returned") return { payload: message.payload };
    return failed(message.kind === "ready" ? exited("loaded twice") : message.error);
  }

  async close(): Promise<void> {
    if (this.#ended) return;
    this.#ended = true;
    const exit = once(this.#worker, "exit");
    await this.#worker.terminate();
    await exit;
  }

  /** The worker's next message, or `late` after the timeout, which also ends the worker. */
  #nextMessage(timeoutMs: number, late: FunctionError): Promise<EnvironmentMessage> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#end(late), timeoutMs);
      this.#settle = (message) => {
        clearTimeout(timer);
        this.#settle = undefined;
        resolve(message);
      };
    });
  }

  #end(error: FunctionError): void {
    if (!this.#ended) {
      this.#ended = true;
      void this.#worker.terminate();
      this.#options.onEnd();
    }
    this.#settle?.({ kind: "threw", error });
  }
}

/** A write usually ends with a line break. */
function linesOf(written: string): string[] {
  return written.replace(/\n$/, "").split("\n");
}

function failed(error: FunctionError): InvocationResult {
  return { payload: JSON.stringify(error), functionError: "Unhandled" };
}

function timedOut(errorMessage: string): FunctionError {
  return { errorType: "Sandbox.Timedout", errorMessage, trace: [] };
}

function exited(reason: string): FunctionError {
  return {
    errorType: "Runtime.ExitError",
    errorMessage: `Error: Runtime exited with error: ${reason}`,
    trace: [],
  };
}
