import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { startHttpServer } from "../machine/http-server.ts";
import { refusalOf } from "../machine/loopback-guard.ts";
import { queueUrlOf } from "../template.ts";
import { performAction } from "./actions.ts";
import { DirectQueues } from "./direct-queues.ts";
import { SqsEngine } from "./engine.ts";
import { SqsError } from "./errors.ts";
import { LongPolls } from "./long-polls.ts";
import { MessageDatabase } from "./message-database.ts";

interface SqsServerOptions {
  /** The folder for messages. */
  readonly dataDirectory: string;
  onFault(error: unknown): void;
}

/** An SQS server. */
export interface SqsServer {
  readonly endpoint: string;
  /** The same queues without HTTP. */
  readonly direct: DirectQueues;
  /** Ends waiting receives, and accepts no more requests. */
  stop(): Promise<void>;
}

/** Starts SQS (AWS JSON 1.0 protocol) on a free port of the loopback interface. Signatures are not verified. */
export async function startSqs({ dataDirectory, onFault }: SqsServerOptions): Promise<SqsServer> {
  const store = new MessageDatabase(join(dataDirectory, "queues.sqlite"));
  let endpoint = "";
  const engine = new SqsEngine({
    now: Date.now,
    random: Math.random,
    queueUrl: (name) => queueUrlOf(endpoint, name),
    store,
    kept: store.load(),
  });
  const polls = new LongPolls(engine);
  const http = await startHttpServer({
    port: 0,
    onFault,
    respond: (message, response) => respond(engine, polls, message, response),
  });
  endpoint = http.url;
  return {
    endpoint,
    direct: new DirectQueues(engine, polls),
    async stop() {
      polls.close();
      await http.stop();
      store.close();
    },
  };
}

async function respond(
  engine: SqsEngine,
  polls: LongPolls,
  message: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  response.setHeader("x-amzn-RequestId", randomUUID());
  response.setHeader("Content-Type", "application/x-amz-json-1.0");
  try {
    const refusal = refusalOf(message);
    if (refusal !== undefined) throw new SqsError("AccessDeniedException", refusal, 403);
    response.once("close", () => {
      if (!response.writableFinished) polls.wake();
    });
    const [, action = ""] = /^AmazonSQS\.(\w+)$/.exec(String(message.headers["x-amz-target"])) ?? [];
    const result = await performAction(engine, polls, {
      action,
      input: parseJson(await text(message)),
      traceHeader: message.headers["x-amzn-trace-id"]?.toString(),
      isGone: () => response.destroyed,
    });
    polls.wake();
    response.end(JSON.stringify(result));
  } catch (error) {
    if (!(error instanceof SqsError)) throw error;
    response.writeHead(error.status);
    response.end(JSON.stringify({ __type: `com.amazonaws.sqs#${error.code}`, message: error.message }));
  }
}

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    throw new SqsError("SerializationException", "The request body is not JSON.");
  }
}
