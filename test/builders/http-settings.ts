/** The SDK's handler of HTTP requests, which has its settings from its first request on. */
interface RequestHandler {
  handle(request: object): Promise<unknown>;
  httpHandlerConfigs(): object;
}

/** How long a client of AWS waits for connections and responses. */
export async function httpSettingsOf({ config }: { readonly config: { readonly requestHandler: object } }) {
  const handler = config.requestHandler as RequestHandler;
  // Port 9 (discard) is not served on loopback.
  const request = {
    protocol: "http:",
    hostname: "127.0.0.1",
    port: 9,
    method: "GET",
    path: "/",
    headers: {},
  };
  await handler.handle(request).catch(() => {});
  return handler.httpHandlerConfigs();
}
