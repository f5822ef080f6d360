import type { IncomingMessage, ServerResponse } from "node:http";
import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import type { StreamRecord } from "./event-sources/stream-record.ts";
import type { Invocation, LocalFunction } from "./lambda/local-function.ts";
import type { SentRequest } from "./lambda/sent-requests.ts";

/** An addition to a stack, such as a console that shows its activity. */
export interface StackExtension {
  /** The names of its files in the data directory. A reset deletes them too. */
  readonly files: readonly string[];
  /** Called once functions can be invoked, before the first request is handled and event sources start. */
  start(stack: ExtendedStack): Promise<RunningExtension>;
}

/** The stack, as available to an extension. */
export interface ExtendedStack {
  readonly baseUrl: string;
  readonly invokeUrl: string;
  readonly dynamodb: DynamoDBClient;
  readonly tableNames: readonly string[];
  /** Whether a table is new, so that data stored by earlier starts is invalid. */
  readonly isEmpty: boolean;
  /** The path of one of the extension's files. */
  file(name: string): string;
  /** The current functions. A reload replaces them. */
  functions(): Iterable<LocalFunction>;
  onFault(error: unknown): void;
}

/**
 * A running extension. It serves its own paths at the API's address, and observes the stack's records, requests and
 * invocations.
 */
export interface RunningExtension {
  /** Whether a request is for the extension and not for the API. */
  owns(message: IncomingMessage): boolean;
  respond(message: IncomingMessage, response: ServerResponse): Promise<void>;
  /** Called with each record that is read from a table's stream. */
  onStreamRecord(record: StreamRecord): void;
  /** Called with each request that a function sends with undici. */
  onSentRequest(request: SentRequest): void;
  /** Called with each invocation of a function that has ended. */
  onInvocation(invocation: Invocation): void;
  /** Closes its connections. */
  close(): void;
}
