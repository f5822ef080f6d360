/** The code inside a Lambda execution environment: loads the bundle once, then runs one invocation at a time. */
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { constants, getPriority, setPriority } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { parentPort, workerData } from "node:worker_threads";
import { watchAwsCalls } from "./aws-calls.ts";
import type {
  EnvironmentMessage,
  EnvironmentSettings,
  FunctionError,
  InvocationMessage,
  ObservedMessage,
} from "./messages.ts";
import { watchOutput } from "./output.ts";
import { INVOCATION_BYTES } from "./quotas.ts";
import { watchSentRequests } from "./sent-requests.ts";

type Handler = (event: unknown, context: unknown) => unknown;

const settings = workerData as EnvironmentSettings;
const port = parentPort;

function report(message: EnvironmentMessage | ObservedMessage): void {
  port?.postMessage(message);
}

function functionError(thrown: unknown): FunctionError {
  if (!(thrown instanceof Error)) {
    return { errorType: typeof thrown, errorMessage: String(thrown), trace: [] };
  }
  return {
    errorType: thrown.name,
    errorMessage: thrown.message,
    trace: (thrown.stack ?? String(thrown)).split("\n"),
  };
}

/** Lambda's error for a response that is larger than its quota. */
const TOO_LARGE: FunctionError = {
  errorType: "Function.ResponseSizeTooLarge",
  errorMessage: `Response payload size exceeded maximum allowed payload size (${INVOCATION_BYTES} bytes).`,
  trace: [],
};

async function loadHandler(): Promise<Handler> {
  const [file = "", name = ""] = settings.handler.split(".");
  const path = [".mjs", ".js", ".cjs"]
    .map((ending) => join(settings.codeDirectory, `${file}${ending}`))
    .find((each) => existsSync(each));
  if (path === undefined) throw new Error(`Cannot find module '${file}' in the bundle.`);
  // Like Lambda's runtime. `require` takes a seventh less time.
  const load = path.endsWith(".mjs") ? import(pathToFileURL(path).href) : createRequire(path)(path);
  const module: Record<string, unknown> = await load;
  const handler = module[name];
  if (typeof handler !== "function") throw new Error(`${settings.handler} is undefined or not exported`);
  return handler as Handler;
}

async function invoke(handler: Handler, invocation: InvocationMessage): Promise<void> {
  const { payload, requestId, traceHeader, deadline } = invocation;
  process.env["_X_AMZN_TRACE_ID"] = traceHeader;
  const context = {
    callbackWaitsForEmptyEventLoop: true,
    functionName: settings.functionName,
    functionVersion: "$LATEST",
    invokedFunctionArn: settings.functionArn,
    memoryLimitInMB: String(settings.memoryMegabytes),
    awsRequestId: requestId,
    logGroupName: process.env["AWS_LAMBDA_LOG_GROUP_NAME"],
    logStreamName: process.env["AWS_LAMBDA_LOG_STREAM_NAME"],
    getRemainingTimeInMillis: () => Math.max(0, deadline - Date.now()),
  };
  try {
    const result = JSON.stringify(await handler(JSON.parse(payload), context)) ?? "null";
    report(
      Buffer.byteLength(result) > INVOCATION_BYTES
        ? { kind: "threw", error: TOO_LARGE }
        : { kind: "returned", payload: result },
    );
  } catch (error) {
    report({ kind: "threw", error: functionError(error) });
  }
}

async function start(): Promise<void> {
  // In Linux, 0 is this thread; in other systems, the whole process.
  if (settings.hasLowPriority && process.platform === "linux") {
    setPriority(0, Math.max(getPriority(0), constants.priority.PRIORITY_BELOW_NORMAL));
  }
  // Read when the thread started. Lambda sets no such variable.
  delete process.env["NODE_COMPILE_CACHE"];
  watchOutput((text) => report({ kind: "wrote", text }));
  if (settings.watchAwsCalls) watchAwsCalls((call) => report({ kind: "called", call }));
  if (settings.watchSentRequests) watchSentRequests((request) => report({ kind: "sent", request }));
  try {
    const handler = await loadHandler();
    port?.on("message", (message: InvocationMessage) => void invoke(handler, message));
    report({ kind: "ready" });
  } catch (error) {
    report({ kind: "threw", error: functionError(error) });
  }
}

void start();
