import type { Lane } from "#webhooks/endpoints/lane";
import type { InvocationResult } from "../../local/lambda/execution-environment.ts";
import type { Step } from "./operations.ts";

/** A response as a caller received it, either from the API or, in the same form, from a private function. */
export interface Response {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** One attempt of a step. */
export interface Call {
  readonly step: Step;
  readonly functionName: string;
  /** The version in the request's `If-Match`. */
  readonly ifMatch?: string;
  /** The event whose delivery is resent. */
  readonly eventId?: string;
  /** In ms since 1970. */
  readonly startedAt: number;
  endedAt?: number;
  /** Absent before there is a response, and if it was lost. */
  response?: Response;
}

/** One attempt of a delivery, as its receiver saw it. */
export interface Post {
  readonly subscriber: number;
  /** The index of the subscriber. */
  readonly url: string;
  /** The URL to which it was posted: the subscriber's, or another one to which its endpoint was moved. */
  readonly address: string;
  readonly startedAt: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The queue from which the delivery came. */
  readonly lane: Lane;
  /** Whether it was cut in the delivery queue or the side queue, to be made again from the retry queue. */
  readonly isCut: boolean;
  /** What the service received of the receiver's response: a status code, or nothing. */
  readonly statusCode: number | undefined;
  /** How long the service waited for the response, in ms. */
  readonly durationMs: number;
  /** The wait that the receiver asked for, in ms. */
  readonly retryAfter: number | undefined;
}

/** An invocation that ended with an error. */
export interface FailedInvocation {
  readonly functionName: string;
  readonly at: number;
  readonly result: InvocationResult;
}
