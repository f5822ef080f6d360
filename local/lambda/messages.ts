import type { AwsCall } from "./aws-calls.ts";
import type { SentRequest } from "./sent-requests.ts";

/** What an execution environment is started with. */
export interface EnvironmentSettings {
  readonly functionName: string;
  readonly functionArn: string;
  readonly memoryMegabytes: number;
  readonly codeDirectory: string;
  readonly handler: string;
  /** Whether to report the calls to AWS that the function makes. */
  readonly watchAwsCalls: boolean;
  /** Whether to report the requests that the function sends by undici. */
  readonly watchSentRequests: boolean;
}

/** One invocation, as it is handed to an execution environment. */
export interface InvocationMessage {
  readonly payload: string;
  readonly requestId: string;
  /** What the Lambda runtime hands on as `_X_AMZN_TRACE_ID`. */
  readonly traceHeader: string;
  /** When the function's timeout ends it, in ms since 1970. */
  readonly deadline: number;
}

/** An error in the form of the Invoke API's payload. */
export interface FunctionError {
  readonly errorType: string;
  readonly errorMessage: string;
  readonly trace: readonly string[];
}

/** What an execution environment reports: that it is ready, or why not, and how its invocation ended. */
export type EnvironmentMessage =
  | { readonly kind: "ready" }
  | { readonly kind: "unusable"; readonly error: FunctionError }
  | { readonly kind: "returned"; readonly payload: string }
  | { readonly kind: "threw"; readonly error: FunctionError };

/** What an invocation, or the loading of the bundle, sent to others: reported beside how it ended. */
export type ObservedMessage =
  | { readonly kind: "called"; readonly call: AwsCall }
  | { readonly kind: "sent"; readonly request: SentRequest };
