import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { finished } from "node:stream/promises";
import { setTimeout as delay } from "node:timers/promises";
import { CommandError } from "./command-error.ts";

/** Responds to one request. What it throws becomes a 500 and goes to `onFault`. */
type Responder = (message: IncomingMessage, response: ServerResponse) => Promise<void>;

interface HttpServerOptions {
  /** 0 takes any free port. */
  readonly port: number;
  readonly respond: Responder;
  /** The body that is sent for what is no HTTP. */
  readonly malformedBody?: () => string;
  onFault(error: unknown): void;
}

/** A server of the loopback interface. */
export interface HttpServer {
  /** As `http://127.0.0.1:<port>`. */
  readonly url: string;
  /** Takes no more requests, and waits for the responses to those that came. */
  stop(): Promise<void>;
}

/** How long a request that is under way may hold up the stop, in ms: Lambda's longest response to an API is 29 s. */
const PATIENCE_MS = 30_000;

/** @throws CommandError when the port is in use */
export async function startHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  const { port, respond, malformedBody, onFault } = options;
  const running = new Set<Promise<void>>();
  const server = createServer({ keepAliveTimeout: 60_000 }, (message, response) => {
    const work = respond(message, response)
      .catch((error: unknown) => {
        onFault(error);
        if (!response.headersSent) response.writeHead(500);
        response.end();
      })
      // A caller who hangs up is no fault.
      .then(() => finished(response).catch(() => {}));
    running.add(work);
    void work.finally(() => running.delete(work));
  });
  server.on("clientError", (_, socket) => {
    const body = malformedBody?.() ?? "";
    if (!socket.writable) return;
    socket.end(
      `HTTP/1.1 400 Bad Request\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
    );
  });
  try {
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EADDRINUSE") {
      throw new CommandError(`Port ${port} is in use: stop what listens there, or set PORT to another one.`);
    }
    throw error;
  }
  const address = server.address();
  const bound = typeof address === "object" && address ? address.port : port;
  let stopped: Promise<void> | undefined;
  async function stop(): Promise<void> {
    const closed = once(server, "close");
    server.close();
    server.closeIdleConnections();
    const expired = new AbortController();
    await Promise.race([
      Promise.all(running),
      delay(PATIENCE_MS, undefined, { signal: expired.signal }).catch(() => {}),
    ]);
    expired.abort();
    // Responses are written: what is left are callers that keep their connection open.
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
