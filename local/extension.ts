import type { IncomingMessage, ServerResponse } from "node:http";
import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import type { StreamRecord } from "./event-sources/stream-record.ts";
import type { LocalFunction } from "./lambda/local-function.ts";
import type { SentRequest } from "./lambda/sent-requests.ts";

/** What is put on top of a stack, such as a console for what it runs. */
export interface StackExtension {
  /** The names of its files in the data directory, which a reset deletes with the stack's own. */
  readonly files: readonly string[];
  /** Called once, when functions can be invoked, before the first request is handled and event sources start. */
  start(stack: ExtendedStack): Promise<RunningExtension>;
}

/** What an extension works with. */
export interface ExtendedStack {
  readonly baseUrl: string;
  readonly invokeUrl: string;
  readonly dynamodb: DynamoDBClient;
  readonly tableNames: readonly string[];
  /** Whether a table is new, so that what earlier starts wrote about its data is void. */
  readonly isEmpty: boolean;
  /** The path of one of the extension's files. */
  file(name: string): string;
  /** Those that run at the moment: a reload replaces them. */
  functions(): Iterable<LocalFunction>;
  onFault(error: unknown): void;
}

/** An extension serves paths of its own at the API's address, and observes what the stack reads and sends. */
export interface RunningExtension {
  /** Whether a request is for the extension and not for the API. */
  owns(message: IncomingMessage): boolean;
  respond(message: IncomingMessage, response: ServerResponse): Promise<void>;
  /** Called with each record that is read from a table's stream. */
  changed(record: StreamRecord): void;
  /** Called with each request that a function sends by undici. */
  sent(request: SentRequest): void;
  /** Ends what is open. */
  close(): void;
}
