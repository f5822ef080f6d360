import type { AwsCall } from "./aws-calls.ts";
import type { SentRequest } from "./sent-requests.ts";

/** The settings of an execution environment. */
export interface EnvironmentSettings {
  readonly functionName: string;
  readonly functionArn: string;
  readonly memoryMegabytes: number;
  readonly codeDirectory: string;
  readonly handler: string;
  /** Whether it gets less of the processors than others. Only in Linux can a thread have a priority of its own. */
  readonly hasLowPriority: boolean;
  /** Whether to report the function's calls to AWS. */
  readonly watchAwsCalls: boolean;
  /** Whether to report the requests that the function sends with undici. */
  readonly watchSentRequests: boolean;
}

/** One invocation, as sent to an execution environment. */
export interface InvocationMessage {
  readonly payload: string;
  readonly requestId: string;
  /** The value of `_X_AMZN_TRACE_ID` in the Lambda runtime. */
  readonly traceHeader: string;
  /** When the function times out, in ms since 1970. */
  readonly deadline: number;
}

/** An error in the format of the Invoke API's payload. */
export interface FunctionError {
  readonly errorType: string;
  readonly errorMessage: string;
  readonly trace: readonly string[];
}

/** Reports from an execution environment: that it is ready, the result of its invocation, or why there is none. */
export type EnvironmentMessage =
  | { readonly kind: "ready" }
  | { readonly kind: "returned"; readonly payload: string }
  | { readonly kind: "threw"; readonly error: FunctionError };

/** What an invocation writes and the requests that it sends, or the bundle while it is loaded. */
export type ObservedMessage =
  | { readonly kind: "wrote"; readonly text: string }
  | { readonly kind: "called"; readonly call: AwsCall }
  | { readonly kind: "sent"; readonly request: SentRequest };
