import { BODY_BYTES, type Gateway } from "./api-gateway/gateway.ts";
import type { RunningExtension } from "./extension.ts";
import { startHttpServer } from "./machine/http-server.ts";
import { bodyOf } from "./machine/request-body.ts";

interface ApiServerOptions {
  /** 0 selects any free port. */
  readonly port: number;
  onFault(error: unknown): void;
}

/** The handlers of requests. */
interface Routes {
  readonly extension: RunningExtension | undefined;
  /** The current gateway; undefined if the assembly has no API. */
  gateway(): Gateway | undefined;
}

/** The address of the API. */
export interface ApiServer {
  /** For example `http://127.0.0.1:<port>`. */
  readonly url: string;
  /** Starts handling requests, beginning with those that have waited. */
  open(routes: Routes): void;
  /** Accepts no more requests, and waits for the responses to current ones. */
  stop(): Promise<void>;
}

/**
 * Listens at once, and holds requests until it is opened.
 *
 * @throws CommandError if the port is in use
 */
export async function startApiServer({ port, onFault }: ApiServerOptions): Promise<ApiServer> {
  let routes: Routes | undefined;
  /** Undefined after a start that failed. */
  const opened = Promise.withResolvers<Routes | undefined>();
  const server = await startHttpServer({
    port,
    onFault,
    malformed: () => routes?.gateway()?.malformed(),
    async respond(message, response) {
      const served = await opened.promise;
      if (!served) {
        response.writeHead(503).end();
        return;
      }
      const { extension, gateway } = served;
      if (extension?.owns(message)) return extension.respond(message, response);
      const body = await bodyOf(message, BODY_BYTES);
      // A reload may have replaced the gateway while the body arrived.
      const running = gateway();
      if (running) await running.handle(message, body, response);
      else response.writeHead(404).end();
    },
  });
  return {
    url: server.url,
    open(given) {
      routes = given;
      opened.resolve(given);
    },
    async stop() {
      opened.resolve(undefined);
      await server.stop();
    },
  };
}
