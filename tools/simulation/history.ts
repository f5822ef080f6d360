import type { Lane } from "#webhooks/endpoints/lane";
import type { InvocationResult } from "../../local/lambda/execution-environment.ts";
import type { Step } from "./operations.ts";

/** A response as a caller got it: of the API, or of a private function in the same form. */
export interface Response {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** One attempt of a step. */
export interface Call {
  readonly step: Step;
  readonly functionName: string;
  /** The version that the request named. */
  readonly ifMatch?: string;
  /** In ms since 1970. */
  readonly startedAt: number;
  endedAt?: number;
  /** Absent while there is none, and where it was lost. */
  response?: Response;
}

/** One attempt of a delivery, as its receiver saw it. */
export interface Post {
  readonly subscriber: number;
  /** The subscriber's. */
  readonly url: string;
  /** Where it is posted to: the subscriber's URL, or one that its endpoint has moved to. */
  readonly address: string;
  readonly startedAt: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The queue that the delivery came from. */
  readonly lane: Lane;
  /** Whether it was cut short in the delivery queue, to be made again from the retry queue. */
  readonly isCut: boolean;
  /** What the service got of the receiver's response: a status code, or nothing. */
  readonly statusCode: number | undefined;
}

/** An invocation that ended with an error. */
export interface FailedInvocation {
  readonly functionName: string;
  readonly at: number;
  readonly result: InvocationResult;
}
