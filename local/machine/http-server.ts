import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { finished } from "node:stream/promises";
import { setTimeout as delay } from "node:timers/promises";
import { CommandError } from "./command-error.ts";

/** Responds to one request. If it throws, the response is 500 and the error is passed to `onFault`. */
type Responder = (message: IncomingMessage, response: ServerResponse) => Promise<void>;

interface MalformedResponse {
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: string | Buffer;
}

interface HttpServerOptions {
  /** 0 selects any free port. */
  readonly port: number;
  readonly respond: Responder;
  /** The headers and the body of the response to malformed HTTP. */
  readonly malformed?: () => MalformedResponse | undefined;
  onFault(error: unknown): void;
}

/** A server on the loopback interface. */
export interface HttpServer {
  /** For example `http://127.0.0.1:<port>`. */
  readonly url: string;
  /** Accepts no more requests, and waits for the responses to current ones. */
  stop(): Promise<void>;
}

/** How long a current request may delay the stop, in ms: Lambda's longest response to an API takes 29 s. */
const STOP_TIMEOUT_MS = 30_000;

/** @throws CommandError if the port is in use, or this user may not use it */
export async function startHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  const { port, respond, malformed, onFault } = options;
  const refusal = () => malformed?.() ?? { headers: {}, body: "" };
  const running = new Set<Promise<void>>();
  // Node's own response to a request without a Host would have no body.
  const server = createServer({ keepAliveTimeout: 60_000, requireHostHeader: false }, handle);
  // A server may ignore an expectation that it does not know (RFC 9110, section 10.1.1); Node would respond with 417.
  server.on("checkExpectation", handle);
  function handle(message: IncomingMessage, response: ServerResponse): void {
    if (message.headers.host === undefined && message.httpVersion === "1.1") {
      refuse(response, refusal());
      return;
    }
    // A closed connection is not a fault, before the end of the request or of the response, or before the request is
    // read, as while the stack starts.
    const work = respond(message, response)
      .catch((error: unknown) => {
        const isClosed = error === message.errored || (message.destroyed && !message.complete);
        if (!isClosed) onFault(error);
        if (!response.headersSent) response.writeHead(500);
        response.end();
      })
      .then(() => finished(response).catch(() => {}));
    running.add(work);
    void work.finally(() => running.delete(work));
  }
  server.on("clientError", (_, socket) => {
    if (socket.writable) socket.end(badRequest(refusal()));
  });
  const bound = await listen(server, port);
  let stopped: Promise<void> | undefined;
  async function stop(): Promise<void> {
    const closed = once(server, "close");
    server.close();
    server.closeIdleConnections();
    const expired = new AbortController();
    await Promise.race([
      Promise.all(running),
      delay(STOP_TIMEOUT_MS, undefined, { signal: expired.signal }).catch(() => {}),
    ]);
    expired.abort();
    // All responses are written. The remaining connections are idle.
    server.closeAllConnections();
    await closed;
  }
  return {
    url: `http://127.0.0.1:${bound}`,
    stop() {
      stopped ??= stop();
      return stopped;
    },
  };
}

/** @returns the port */
async function listen(server: Server, port: number): Promise<number> {
  try {
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EADDRINUSE") {
      throw new CommandError(
        `Port ${port} is in use: stop the process that listens there, or set PORT to another port.`,
      );
    }
    if (error instanceof Error && "code" in error && error.code === "EACCES") {
      throw new CommandError(
        `Port ${port} may not be used by this user: set PORT to another port, 1024 or above.`,
      );
    }
    throw error;
  }
  const address = server.address();
  return typeof address === "object" && address ? address.port : port;
}

function refuse(response: ServerResponse, { headers, body }: MalformedResponse): void {
  response.statusCode = 400;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  response.setHeader("Connection", "close").end(body);
}

function badRequest({ headers, body }: MalformedResponse): string {
  const length = String(Buffer.byteLength(body));
  const lines = Object.entries({ ...headers, "Content-Length": length, Connection: "close" }).map(
    ([name, value]) => `${name}: ${[value].flat().join(", ")}\r\n`,
  );
  return `HTTP/1.1 400 Bad Request\r\n${lines.join("")}\r\n${body}`;
}
