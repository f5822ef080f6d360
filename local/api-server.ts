import type { Gateway } from "./api-gateway/gateway.ts";
import type { RunningExtension } from "./extension.ts";
import { startHttpServer } from "./http-server.ts";

interface ApiServerOptions {
  /** 0 takes any free port. */
  readonly port: number;
  onFault(error: unknown): void;
}

/** What handles the requests. */
interface Routes {
  readonly extension: RunningExtension | undefined;
  /** The gateway that runs at the moment; undefined when the assembly has no API. */
  gateway(): Gateway | undefined;
}

/** The address of the API. */
export interface ApiServer {
  /** As `http://127.0.0.1:<port>`. */
  readonly url: string;
  /** Handles requests from now on, those first that have waited for it. */
  open(routes: Routes): void;
  /** Takes no more requests, and waits for the responses to those that came. */
  stop(): Promise<void>;
}

/**
 * Listens at once, and holds requests back until it is opened.
 *
 * @throws CommandError when the port is in use
 */
export async function startApiServer({ port, onFault }: ApiServerOptions): Promise<ApiServer> {
  let routes: Routes | undefined;
  const opened = Promise.withResolvers<Routes>();
  opened.promise.catch(() => {});
  const server = await startHttpServer({
    port,
    onFault,
    malformedBody: () => String(routes?.gateway()?.malformed().body ?? ""),
    async respond(message, response) {
      const { extension, gateway } = await opened.promise;
      if (extension?.owns(message)) return extension.respond(message, response);
      const running = gateway();
      if (running) await running.handle(message, response);
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
      opened.reject(new Error("The local stack did not start."));
      await server.stop();
    },
  };
}
