import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { ZodError } from "zod";
import type { LocalFunction } from "./lambda/local-function.ts";
import { EVENT_BYTES, INVOCATION_BYTES } from "./lambda/quotas.ts";
import { startHttpServer } from "./machine/http-server.ts";
import { refusalOf } from "./machine/loopback-guard.ts";
import { type SecretsManager, SecretsManagerError } from "./secrets-manager.ts";
import { functionNameIn } from "./template.ts";

interface AwsServices {
  /** The current functions. A reload may replace them while a request arrives. */
  functions(): ReadonlyMap<string, LocalFunction>;
  readonly secrets: SecretsManager;
  /** Registers an invocation that continues after the response to its caller. */
  inBackground(work: Promise<unknown>): void;
}

const INVOCATIONS = /^\/2015-03-31\/functions\/([^/]+)\/invocations$/;

interface AwsServerOptions extends Omit<AwsServices, "inBackground"> {
  onFault(error: unknown): void;
}

/** The endpoint for AWS clients of Lambda's Invoke and of Secrets Manager. */
export interface AwsServer {
  /** For example `http://127.0.0.1:<port>`. */
  readonly url: string;
  /** Waits for invocations that continue after the response to their caller. */
  backgroundEnds(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts both on a free port of the loopback interface. Signatures are not verified. */
export async function startAwsServer({ functions, secrets, onFault }: AwsServerOptions): Promise<AwsServer> {
  const background = new Set<Promise<unknown>>();
  const inBackground = (work: Promise<unknown>) => {
    background.add(work);
    void work.finally(() => background.delete(work));
  };
  const server = await startHttpServer({
    port: 0,
    onFault,
    respond: (message, response) => respond({ functions, secrets, inBackground }, message, response),
  });
  return {
    url: server.url,
    async backgroundEnds() {
      await Promise.allSettled(background);
    },
    stop: () => server.stop(),
  };
}

async function respond(
  services: AwsServices,
  message: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const refusal = refusalOf(message);
  if (refusal !== undefined) return fail(response, 403, "AccessDeniedException", refusal);
  const body = await text(message);
  const target = /^secretsmanager\.(\w+)$/.exec(String(message.headers["x-amz-target"]))?.[1];
  if (target !== undefined) return callSecretsManager(services.secrets, target, body, response);

  const { pathname } = new URL(message.url ?? "/", "http://localhost");
  const reference = INVOCATIONS.exec(pathname)?.[1];
  if (message.method !== "POST" || reference === undefined) {
    return fail(
      response,
      404,
      "ResourceNotFoundException",
      "The local stack has no such operation at this address. It supports Invoke and Secrets Manager.",
    );
  }
  await invoke(services, decodeURIComponent(reference), body, message, response);
}

/** Invokes a function like Lambda's Invoke. */
async function invoke(
  services: AwsServices,
  reference: string,
  body: string,
  message: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const name = functionNameIn(reference);
  const functions = services.functions();
  const invoked = functions.get(name);
  if (!invoked) {
    const known = [...functions.keys()].join(", ");
    return fail(
      response,
      404,
      "ResourceNotFoundException",
      `Function not found: ${name}. The stack has ${known}.`,
    );
  }
  const type = message.headers["x-amz-invocation-type"] ?? "RequestResponse";
  const most = type === "Event" ? EVENT_BYTES : INVOCATION_BYTES;
  if (Buffer.byteLength(body) > most) {
    const limit = `The payload of this invocation may have at most ${most} bytes.`;
    return fail(response, 413, "RequestTooLargeException", limit);
  }
  const payload = body === "" ? "{}" : body;
  if (!isJson(payload)) {
    return fail(response, 400, "InvalidRequestContentException", "Could not parse request body into json.");
  }
  const requestId = randomUUID();
  response.setHeader("x-amzn-RequestId", requestId);
  response.setHeader("X-Amz-Executed-Version", "$LATEST");
  switch (type) {
    case "RequestResponse": {
      const result = await invoked.invoke(payload, { requestId });
      if (result.functionError) response.setHeader("X-Amz-Function-Error", result.functionError);
      response.setHeader("Content-Type", "application/json");
      response.end(result.payload);
      return;
    }
    case "Event":
      services.inBackground(invoked.invoke(payload, { requestId }));
      response.writeHead(202).end();
      return;
    case "DryRun":
      response.writeHead(204).end();
      return;
    default:
      fail(
        response,
        400,
        "InvalidParameterValueException",
        "The invocation type must be RequestResponse, Event or DryRun.",
      );
  }
}

function callSecretsManager(
  secrets: SecretsManager,
  action: string,
  body: string,
  response: ServerResponse,
): void {
  try {
    const result = secrets.call(action, JSON.parse(body));
    response.setHeader("Content-Type", "application/x-amz-json-1.1");
    response.end(JSON.stringify(result));
  } catch (error) {
    const code =
      error instanceof SecretsManagerError
        ? error.code
        : error instanceof ZodError || error instanceof SyntaxError
          ? "InvalidParameterException"
          : undefined;
    if (code === undefined || !(error instanceof Error)) throw error;
    fail(response, 400, code, error.message);
  }
}

function fail(response: ServerResponse, status: number, code: string, message: string): void {
  response.writeHead(status, { "Content-Type": "application/json", "x-amzn-ErrorType": code });
  response.end(JSON.stringify({ __type: code, Type: "User", Message: message, message }));
}

function isJson(payload: string): boolean {
  try {
    JSON.parse(payload);
    return true;
  } catch {
    return false;
  }
}
