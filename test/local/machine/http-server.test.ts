import { once } from "node:events";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { startHttpServer } from "../../../local/machine/http-server.ts";

/** What a server sends back for these bytes until it closes the connection. */
async function responseTo(bytes: string): Promise<string> {
  const server = await startHttpServer({
    port: 0,
    respond: async (_, response) => void response.end("handled"),
    malformed: () => ({ headers: { "X-Request-Id": "r-1" }, body: '{"error":"invalid_request"}' }),
    onFault: () => {},
  });
  onTestFinished(() => server.stop());
  const socket = connect(Number(new URL(server.url).port), "127.0.0.1");
  await once(socket, "connect");
  socket.write(bytes);
  return text(socket);
}

test("malformed HTTP gets a 400 with the headers and the body that the server has for it", async () => {
  const response = await responseTo(
    "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
  );

  expect(response).toBe(
    'HTTP/1.1 400 Bad Request\r\nX-Request-Id: r-1\r\nContent-Length: 27\r\nConnection: close\r\n\r\n{"error":"invalid_request"}',
  );
});

test("a request without a host gets that 400 too, after the responses to those before it", async () => {
  const response = await responseTo("GET /a HTTP/1.1\r\nHost: a\r\n\r\nGET /b HTTP/1.1\r\n\r\n");

  expect(response).toMatch(
    /^HTTP\/1\.1 200 OK\r\n(?:.|\r\n)*handledHTTP\/1\.1 400 Bad Request\r\nX-Request-Id: r-1\r\n/,
  );
  expect(response).toMatch(/\r\n\r\n\{"error":"invalid_request"\}$/);
});

test("a server cannot be reached by another address of this machine, and so not from other machines", async () => {
  const server = await startHttpServer({
    port: 0,
    respond: async (_, response) => void response.end("handled"),
    onFault: () => {},
  });
  onTestFinished(() => server.stop());
  const { port } = new URL(server.url);

  expect(await (await fetch(server.url)).text()).toBe("handled");
  // On Linux a server on every interface responds there, and nowhere one that listens on 127.0.0.1.
  await expect(fetch(`http://127.0.0.2:${port}`)).rejects.toThrow("fetch failed");
  await expect(fetch(`http://[::1]:${port}`)).rejects.toThrow("fetch failed");
});

test("a request with an unknown expectation is handled without it", async () => {
  expect(await responseTo("GET / HTTP/1.1\r\nHost: a\r\nExpect: foo\r\nConnection: close\r\n\r\n")).toMatch(
    /^HTTP\/1\.1 200 OK\r\n(?:.|\r\n)*handled/,
  );
});

test.each([
  ["is no fault of the server", "a", 0],
  ["hides no fault after its end", "abc", 1],
])("a connection that is closed during a request %s", async (_, sent, count) => {
  const faults: unknown[] = [];
  const ended = Promise.withResolvers<void>();
  const server = await startHttpServer({
    port: 0,
    async respond(message, response) {
      response.once("close", () => ended.resolve());
      await text(message);
      await once(response, "close");
      throw new Error("a fault");
    },
    onFault: (error) => faults.push(error),
  });
  onTestFinished(() => server.stop());
  const socket = connect(Number(new URL(server.url).port), "127.0.0.1");
  await once(socket, "connect");

  socket.write(`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\n${sent}`, () => socket.destroy());
  await ended.promise;
  await server.stop();

  expect(faults).toHaveLength(count);
});
