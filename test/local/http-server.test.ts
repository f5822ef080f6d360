import { once } from "node:events";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { startHttpServer } from "../../local/machine/http-server.ts";

test("malformed HTTP gets a 400 with the headers and the body that the server has for it", async () => {
  const server = await startHttpServer({
    port: 0,
    respond: async () => {},
    malformed: () => ({ headers: { "X-Request-Id": "r-1" }, body: '{"error":"invalid_request"}' }),
    onFault: () => {},
  });
  const socket = connect(Number(new URL(server.url).port), "127.0.0.1");
  await once(socket, "connect");

  socket.write("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n");

  expect(await text(socket)).toBe(
    'HTTP/1.1 400 Bad Request\r\nX-Request-Id: r-1\r\nContent-Length: 27\r\nConnection: close\r\n\r\n{"error":"invalid_request"}',
  );
  await server.stop();
});
