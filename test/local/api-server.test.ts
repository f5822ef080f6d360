import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { connect, type Socket } from "node:net";
import { expect, test } from "vitest";
import { startApiServer } from "../../local/api-server.ts";

test("A request that waits for a start that fails gets a 503, which is no fault", async () => {
  const faults: unknown[] = [];
  const server = await startApiServer({ port: 0, onFault: (error) => faults.push(error) });
  const waiting = fetch(server.url);
  await fetch(server.url, { signal: AbortSignal.timeout(200) }).catch(() => {});

  await server.stop();

  expect((await waiting).status).toBe(503);
  expect(faults).toEqual([]);
});

test("A caller who stops waiting before the stack is ready is no fault", async () => {
  const faults: unknown[] = [];
  const server = await startApiServer({ port: 0, onFault: (error) => faults.push(error) });
  const waiting = connect(Number(new URL(server.url).port), "127.0.0.1");
  const accepted = acceptedConnection();
  waiting.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  const connection = await accepted;
  waiting.destroy();
  await once(connection, "close");

  server.open({ extension: undefined, gateway: () => undefined });

  expect((await fetch(server.url)).status).toBe(404);
  await server.stop();
  expect(faults).toEqual([]);
});

/** The server's end of the connection of the next request, which Node reports when it has read the headers. */
function acceptedConnection(): Promise<Socket> {
  return new Promise((resolve) => {
    const channel = "http.server.request.start";
    const accept = (message: unknown) => {
      unsubscribe(channel, accept);
      resolve((message as { readonly request: IncomingMessage }).request.socket);
    };
    subscribe(channel, accept);
  });
}
