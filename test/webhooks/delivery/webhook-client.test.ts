import { execFile } from "node:child_process";
import http, { createServer as createHttpServer } from "node:http";
import { connect, type Socket } from "node:net";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { promisify } from "node:util";
import { afterAll, describe, expect, onTestFinished, test, vi } from "vitest";
import {
  type AttemptResult,
  guardedAgent,
  type PostOptions,
  WebhookClient,
} from "#webhooks/delivery/webhook-client";
import { AllowedNetworks } from "#webhooks/endpoints/delivery-address";
import { freePort } from "../../../local/machine/free-port.ts";
import {
  aCertificate,
  aDemandingReceiver,
  anHttpReceiver,
  aRudeReceiver,
  aTlsReceiver,
  aWeakCertificate,
  closeReceivers,
} from "../receivers.ts";

const BODY = '{"id":"evt_1","text":"Grüße, 世界 😀 \\u0000 \u2028"}';
const HEADERS = {
  "Content-Type": "application/json",
  "User-Agent": "CandidateManagementService/1.2.0 (webhooks)",
  "X-RR-Signature": `sha256=${"0a".repeat(32)}`,
  "X-RR-Event-Id": "evt_1",
  "X-RR-Event-Type": "candidate.received",
  "X-RR-Delivery-Attempt": "3",
};

function aClient(allowed = "127.0.0.0/8,::1/128"): WebhookClient {
  const client = new WebhookClient(guardedAgent(AllowedNetworks.parse(allowed)));
  clients.push(client);
  return client;
}

const clients: WebhookClient[] = [];
afterAll(async () => {
  await Promise.all(clients.map((client) => client.close()));
  closeReceivers();
});

const post = (url: string, client = aClient(), options: PostOptions = { timeout: 10_000 }) =>
  client.post(url, HEADERS, BODY, options);

describe("a webhook request", () => {
  test("is a POST to path and query, with exactly the given headers and bytes", async () => {
    const receiver = await anHttpReceiver();

    await post(`http://127.0.0.1:${receiver.port}/hooks/a%20b?tenant=1&x=%C3%BC#fragment`);

    const [request] = receiver.requests;
    expect(request).toMatchObject({ method: "POST", path: "/hooks/a%20b?tenant=1&x=%C3%BC" });
    const { host, connection, "content-length": length, ...headers } = request?.headers ?? {};
    expect(headers).toEqual(HEADERS);
    expect({ host, connection, length }).toEqual({
      host: `127.0.0.1:${receiver.port}`,
      connection: "keep-alive",
      length: String(Buffer.byteLength(BODY)),
    });
    expect(request?.body).toEqual(Buffer.from(BODY, "utf8"));
  });

  test.each([{ status: 204 }, { status: 200, body: "ok" }, { status: 500, body: "x".repeat(10_000) }])(
    "reuses connections while requests follow each other, after a response of $status",
    async (response) => {
      const receiver = await anHttpReceiver(() => response);
      const client = aClient();

      for (let count = 0; count < 10; count++) await post(`http://127.0.0.1:${receiver.port}/`, client);

      expect(receiver.requests).toHaveLength(10);
      // The first may not be free yet when the second post comes.
      expect(receiver.connections()).toBeLessThanOrEqual(2);
    },
  );

  test("uses a new connection if the receiver closed the one before", async () => {
    const receiver = await anHttpReceiver(() => ({ headers: { Connection: "close" } }));
    const client = aClient();

    for (let count = 0; count < 3; count++) {
      expect(await post(`http://127.0.0.1:${receiver.port}/`, client)).toMatchObject({ statusCode: 204 });
    }
    expect(receiver.connections()).toBe(3);
  });

  describe("over a connection that the receiver closes when it is used again", () => {
    /** Responds to the first requests of each connection, and breaks it at the next one. */
    async function closingAfter(responses: number, end: (socket: Socket) => void) {
      const requests: number[] = [];
      const server = createHttpServer(async (request, response) => {
        const { socket } = request;
        await Array.fromAsync(request);
        const count = (served.get(socket) ?? 0) + 1;
        served.set(socket, count);
        requests.push(count);
        if (count > responses) end(socket);
        else response.writeHead(204).end();
      });
      const served = new WeakMap<Socket, number>();
      const { port } = await aRudeReceiver((socket) => server.emit("connection", socket));
      return { url: `http://127.0.0.1:${port}/`, requests };
    }

    /** Posts until a connection was used again, which may be free only after the next post has begun. */
    async function reusing(
      { url, requests }: Awaited<ReturnType<typeof closingAfter>>,
      options?: PostOptions,
    ): Promise<AttemptResult> {
      const client = aClient();
      for (;;) {
        const result = await post(url, client, options);
        if (requests.includes(2)) return result;
        expect(result).toMatchObject({ statusCode: 204 });
      }
    }

    test.each([
      ["ends", (socket: Socket) => socket.end()],
      ["is reset", (socket: Socket) => socket.resetAndDestroy()],
    ])("is sent again over a new one, if it %s without a response", async (_how, end) => {
      const receiver = await closingAfter(1, end);

      expect(await reusing(receiver)).toMatchObject({ statusCode: 204 });
      expect(receiver.requests.slice(-2)).toEqual([2, 1]);
    });

    test("fails if the new one breaks too", async () => {
      const { url, requests } = await closingAfter(0, (socket) => socket.resetAndDestroy());

      expect(await post(url)).toMatchObject({ failure: "connection_failed" });
      expect(requests).toEqual([1]);
    });

    test.each(["HTTP/1.1 2", "HTTP/1.1 103 Early Hints\r\n\r\n"])(
      "fails after a beginning: %j",
      async (text) => {
        const receiver = await closingAfter(1, (socket) => socket.end(text));

        expect(await reusing(receiver)).toMatchObject({ failure: "connection_failed" });
        expect(receiver.requests.at(-1)).toBe(2);
      },
    );

    test("fails if it breaks while the receiver processes the request", async () => {
      const receiver = await closingAfter(1, (socket) => void setTimeout(() => socket.destroy(), 700));

      expect(await reusing(receiver)).toMatchObject({ failure: "connection_failed" });
      expect(receiver.requests.at(-1)).toBe(2);
    });

    test("fails if its time is over", async () => {
      const receiver = await closingAfter(1, () => {});

      expect(await reusing(receiver, { timeout: 300 })).toMatchObject({ failure: "timeout" });
      expect(receiver.requests.at(-1)).toBe(2);
    });
  });
});

describe("a receiver's response", () => {
  test.each([200, 201, 202, 204, 206, 299, 400, 401, 404, 408, 410, 413, 418, 429, 500, 502, 503, 504, 599])(
    "with status code %i is returned as it is, and the request is sent once",
    async (status) => {
      const receiver = await anHttpReceiver(() => ({ status }));

      const result = await post(`http://127.0.0.1:${receiver.port}/`);

      expect(result).toEqual({ statusCode: status, durationMs: expect.any(Number), retryAfter: undefined });
      expect(result.durationMs).toBeGreaterThanOrEqual(0);
      expect(receiver.requests).toHaveLength(1);
    },
  );

  test.each([
    ["with a body", { status: 200, body: "thanks" }],
    [
      "with a body that lies about its coding",
      { status: 200, headers: { "Content-Encoding": "gzip" }, body: "x" },
    ],
    ["with a body in chunks", { status: 200, headers: { "Transfer-Encoding": "chunked" }, body: "thanks" }],
    ["with a body of many KB", { status: 200, body: "x".repeat(100_000) }],
  ])("%s is a success", async (_what, response) => {
    const receiver = await anHttpReceiver(() => response);

    expect(await post(`http://127.0.0.1:${receiver.port}/`)).toMatchObject({ statusCode: 200 });
  });

  test("over HTTP/1.0 is accepted", async () => {
    const receiver = await aRudeReceiver((socket) => {
      socket.once("data", () => socket.end("HTTP/1.0 200 OK\r\n\r\nthanks"));
    });

    expect(await post(`http://127.0.0.1:${receiver.port}/`)).toMatchObject({ statusCode: 200 });
  });

  test.each([
    ["in one piece", 1_000],
    ["in pieces of three bytes", 3],
    ["byte by byte", 1],
  ])("after unrequested interim responses is the one that counts, %s", async (_what, size) => {
    const wait = "HTTP/1.1 100 Continue\r\n\r\n";
    // The connection closes after the response, not after this (RFC 9112 section 9.6).
    const hints = "HTTP/1.1 103 Early Hints\r\nConnection: close\r\n\r\n";
    const interim = `${wait}HTTP/1.1 100 \r\nX-Note: wait\r\n\r\n${hints}${wait}${hints}`;
    const response = Buffer.from(`${interim}HTTP/1.1 202 Accepted\r\nContent-Length: 4\r\n\r\nHTTP`);
    const receiver = await aRudeReceiver((socket) => {
      socket.setNoDelay(true).on("data", async () => {
        for (let start = 0; start < response.length; start += size) {
          await new Promise((resolve) => socket.write(response.subarray(start, start + size), resolve));
        }
      });
    });
    const client = aClient();

    for (let posts = 0; posts < 3; posts++) {
      expect(await post(`http://127.0.0.1:${receiver.port}/`, client)).toMatchObject({ statusCode: 202 });
    }
    expect(receiver.connections()).toBeLessThanOrEqual(2);
  });

  test("whose body looks like an interim response is read to its end", async () => {
    const body = "HTTP/1.1 100 Continue\r\n\r\n";
    let sendBody = () => {};
    const receiver = await aRudeReceiver((socket) => {
      socket.setNoDelay(true).on("data", () => {
        socket.write(`HTTP/1.1 202 Accepted\r\nContent-Length: ${body.length}\r\n\r\n`);
        sendBody = () => socket.write(body);
      });
    });
    const client = aClient();

    for (let posts = 0; posts < 4; posts++) {
      expect(await post(`http://127.0.0.1:${receiver.port}/`, client)).toMatchObject({ statusCode: 202 });
      sendBody();
      // The connection is free for the next post when the whole body has arrived.
      await new Promise((resolve) => setTimeout(resolve, 30));
    }
    expect(receiver.connections()).toBeLessThanOrEqual(2);
  });

  test("that ends with a 100 is a connection failure", async () => {
    const receiver = await aRudeReceiver((socket) => {
      socket.once("data", () => socket.end("HTTP/1.1 100 Continue\r\n\r\n"));
    });

    expect(await post(`http://127.0.0.1:${receiver.port}/`)).toMatchObject({ failure: "connection_failed" });
  });

  test.each(["000", "099", "1000"])("with the status code %s is an invalid response", async (status) => {
    const receiver = await aRudeReceiver((socket) => {
      socket.once("data", () => socket.write(`HTTP/1.1 ${status} X\r\nContent-Length: 0\r\n\r\n`));
    });

    expect(await post(`http://127.0.0.1:${receiver.port}/`)).toMatchObject({ failure: "invalid_response" });
  });

  test("whose 100 has endless headers is an invalid response", async () => {
    const receiver = await aRudeReceiver((socket) => {
      socket.once("data", () => socket.write(`HTTP/1.1 100 Continue\r\nX-Note: ${"x".repeat(200_000)}`));
    });

    expect(await post(`http://127.0.0.1:${receiver.port}/`)).toMatchObject({ failure: "invalid_response" });
  });

  test("whose body breaks off is judged by its status code", async () => {
    const receiver = await aRudeReceiver((socket) => {
      socket.once("data", () => {
        socket.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf", () => socket.resetAndDestroy());
      });
    });

    expect(await post(`http://127.0.0.1:${receiver.port}/`)).toMatchObject({ statusCode: 200 });
  });

  test.each([
    ["seconds", { "Retry-After": "120" }, 120_000],
    ["nothing that can be read", { "Retry-After": "soon" }, undefined],
    ["two things", { "Retry-After": ["7", "120"] }, 7_000],
  ])("has a Retry-After header with %s", async (_what, headers, retryAfter) => {
    const receiver = await anHttpReceiver(() => ({ status: 429, headers }));

    const result = await post(`http://127.0.0.1:${receiver.port}/`);

    expect(result).toMatchObject({ statusCode: 429 });
    expect("retryAfter" in result && result.retryAfter).toBe(retryAfter);
  });

  test("with a date in Retry-After asks for a wait in ms from now", async () => {
    const until = new Date(Date.now() + 3_600_000).toUTCString();
    const receiver = await anHttpReceiver(() => ({ status: 503, headers: { "Retry-After": until } }));

    const result = await post(`http://127.0.0.1:${receiver.port}/`);

    expect("retryAfter" in result && result.retryAfter).toBeGreaterThan(3_590_000);
    expect("retryAfter" in result && result.retryAfter).toBeLessThanOrEqual(3_600_000);
  });

  test.each([301, 302, 303, 307, 308])("with status code %i is not followed", async (status) => {
    const target = await anHttpReceiver();
    const receiver = await anHttpReceiver(() => ({
      status,
      headers: { Location: `http://127.0.0.1:${target.port}/` },
    }));

    expect(await post(`http://127.0.0.1:${receiver.port}/`)).toMatchObject({ statusCode: status });
    expect(target.connections()).toBe(0);
  });

  test.each([
    ["16 KiB keeps its connection", 16 * 1024, 2],
    ["one byte more does not: its connection is closed", 16 * 1024 + 1, 4],
  ])("with a body of %s", async (_what, length, connections) => {
    const receiver = await anHttpReceiver(() => ({ status: 200, body: "x".repeat(length) }));
    const client = aClient();

    for (let count = 0; count < 4; count++) {
      expect(await post(`http://127.0.0.1:${receiver.port}/`, client)).toMatchObject({ statusCode: 200 });
    }

    if (connections === 4) expect(receiver.connections()).toBe(4);
    // The first may not be free yet when the second post comes.
    else expect(receiver.connections()).toBeLessThanOrEqual(connections);
  });

  test.each([
    ["line breaks before it", "", "\r\n", { failure: "invalid_response" }],
    ["a reason phrase", "HTTP/1.1 200 ", "x", { failure: "invalid_response" }],
    ["a body", "HTTP/1.1 200 OK\r\nContent-Length: 1073741824\r\n\r\n", "x", { statusCode: 200 }],
    [
      "an extension of a chunk",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;",
      "x",
      { statusCode: 200 },
    ],
  ])("with %s without end is not read to its end", async (_what, before, repeated, result) => {
    const receiver = await aRudeReceiver((socket) => {
      socket.once("data", () => {
        socket.write(before);
        const some = repeated.repeat(256 * 1024);
        const pour = () => {
          while (!socket.destroyed && socket.write(some));
        };
        socket.on("drain", pour);
        pour();
      });
    });
    const client = aClient();

    expect(await post(`http://127.0.0.1:${receiver.port}/`, client)).toMatchObject(result);

    const [socket] = receiver.sockets;
    await expect.poll(() => socket?.destroyed).toBe(true);
    // What the kernel's buffers on both sides took, and no more.
    expect((socket?.bytesWritten ?? 0) - (socket?.writableLength ?? 0)).toBeLessThan(32 * 1024 * 1024);
  });
});

test.each(["", "receiver.example.com", "https://", "ftp://127.0.0.1/"])(
  "a URL to which no request can be sent, %o, is a connection failure",
  async (url) => {
    await expect(post(url)).resolves.toMatchObject({ failure: "connection_failed" });
  },
);

describe("a misbehaving receiver", () => {
  test.each([
    [
      "resets the connection",
      "connection_failed",
      (socket) => socket.once("data", () => socket.resetAndDestroy()),
    ],
    ["closes at once", "connection_failed", (socket) => socket.end()],
    ["closes after the request", "connection_failed", (socket) => socket.once("data", () => socket.end())],
    [
      "responds with garbage",
      "invalid_response",
      (socket) => socket.once("data", () => socket.end("SSH-2.0-OpenSSH\r\n")),
    ],
    [
      "responds with less than a status line",
      "invalid_response",
      (socket) => socket.once("data", () => socket.end("hello\r\n")),
    ],
    [
      "responds before the request",
      "invalid_response",
      (socket) => socket.end("220 mail.example.com ESMTP\r\n"),
    ],
    [
      "switches protocols unasked",
      "invalid_response",
      (socket) =>
        socket.once("data", () =>
          socket.write(
            "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
          ),
        ),
    ],
    [
      "sends headers of more than 16 KiB",
      "invalid_response",
      (socket) =>
        socket.once("data", () =>
          socket.end(`HTTP/1.1 204 No Content\r\nX-Note: ${"x".repeat(16 * 1024)}\r\n\r\n`),
        ),
    ],
    [
      "ends its lines with a line feed alone",
      "invalid_response",
      (socket) => socket.once("data", () => socket.end("HTTP/1.1 200 OK\nContent-Length: 0\n\n")),
    ],
    [
      "sends headers without end",
      "invalid_response",
      (socket) =>
        socket.once("data", () => {
          socket.write("HTTP/1.1 200 OK\r\n");
          for (let line = 0; line < 10_000 && socket.writable; line++)
            socket.write(`X-${line}: ${"x".repeat(100)}\r\n`);
        }),
    ],
    [
      "sends both Content-Length and Transfer-Encoding",
      "invalid_response",
      (socket) =>
        socket.once("data", () =>
          socket.end(
            "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
          ),
        ),
    ],
    [
      "sends a second Content-Length",
      "invalid_response",
      (socket) =>
        socket.once("data", () =>
          socket.end("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nok"),
        ),
    ],
    [
      "sends both Transfer-Encoding and Content-Length",
      "invalid_response",
      (socket) =>
        socket.once("data", () =>
          socket.end(
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n2\r\nok\r\n0\r\n\r\n",
          ),
        ),
    ],
    [
      "sends a status that is none",
      "invalid_response",
      (socket) => socket.once("data", () => socket.end("HTTP/1.1 9999 What\r\n\r\n")),
    ],
  ] satisfies [string, string, Parameters<typeof aRudeReceiver>[0]][])(
    "that %s causes %s",
    async (_what, failure, onConnection) => {
      const receiver = await aRudeReceiver(onConnection);

      expect(await post(`http://127.0.0.1:${receiver.port}/`)).toEqual({
        failure,
        durationMs: expect.any(Number),
      });
    },
  );

  test("that sends headers of more than 16 KiB causes invalid_response, whatever Node's own limit is", async () => {
    const limit = vi.spyOn(http, "maxHeaderSize", "get").mockReturnValue(80 * 1024);
    onTestFinished(() => limit.mockRestore());
    const receiver = await aRudeReceiver((socket) =>
      socket.once("data", () =>
        socket.end(`HTTP/1.1 204 No Content\r\nX-Note: ${"x".repeat(16 * 1024)}\r\n\r\n`),
      ),
    );

    const result = await post(`http://127.0.0.1:${receiver.port}/`);

    expect(result).toMatchObject({ failure: "invalid_response" });
  });

  test("that does not listen causes connection_failed", async () => {
    const port = await freePort("127.0.0.1");

    expect(await post(`http://127.0.0.1:${port}/`)).toMatchObject({ failure: "connection_failed" });
  });

  test("does not affect the next request to another receiver", async () => {
    const rude = await aRudeReceiver((socket) => socket.resetAndDestroy());
    const receiver = await anHttpReceiver();
    const client = aClient();

    await post(`http://127.0.0.1:${rude.port}/`, client);

    expect(await post(`http://127.0.0.1:${receiver.port}/`, client)).toMatchObject({ statusCode: 204 });
  });
});

describe("the timeout of an attempt", () => {
  test("does not apply to the body: the attempt ends with the headers, and a slow body with its connection", async () => {
    const receiver = await aRudeReceiver(
      trickle("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "1\r\nx\r\n"),
    );
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());

    // Its time does not pass: an attempt that waited for the body would not end.
    const result = await post(`http://127.0.0.1:${receiver.port}/`);
    const isOpen = receiver.sockets[0]?.destroyed === false;
    vi.advanceTimersByTime(1_000);

    expect(result).toMatchObject({ statusCode: 200 });
    expect(isOpen).toBe(true);
    await expect.poll(() => receiver.sockets[0]?.destroyed, { timeout: 5_000 }).toBe(true);
  }, 20_000);
});

// These take the whole time each, all at the same time.
describe.concurrent("the timeout of an attempt", { timeout: 20_000 }, () => {
  const TIMEOUT = 2_000;
  const MOST = 4_000;

  test.for([
    ["when it never responds", (socket: Socket) => socket.resume()],
    ["when it trickles its headers", trickle("HTTP/1.1 200 OK\r\n", "X-Slow: yes\r\n")],
    ["when it sends early hints for ever", trickle("", "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n")],
  ] as const)("%s ends the request and closes the connection", async ([, behave], { expect }) => {
    const receiver = await aRudeReceiver(behave);

    const result = await post(`http://127.0.0.1:${receiver.port}/`, aClient(), { timeout: TIMEOUT });

    expect(result).toMatchObject({ failure: "timeout" });
    expect(result.durationMs).toBeGreaterThan(TIMEOUT - 100);
    expect(result.durationMs).toBeLessThan(MOST);
    await expect.poll(() => receiver.sockets[0]?.destroyed).toBe(true);
  });

  test("does not end the body: a connection whose body ends later is used again", async ({ expect }) => {
    const receiver = await aRudeReceiver((socket) => {
      socket.setNoDelay(true).on("data", () => {
        socket.write("HTTP/1.1 202 Accepted\r\nContent-Length: 2\r\n\r\n");
        setTimeout(() => socket.write("ok"), 700);
      });
    });
    const client = aClient();

    for (let posts = 0; posts < 2; posts++) {
      const result = await post(`http://127.0.0.1:${receiver.port}/`, client, { timeout: 500 });
      expect(result).toMatchObject({ statusCode: 202 });
      await new Promise((resolve) => setTimeout(resolve, 1_200));
    }

    expect(receiver.connections()).toBe(1);
  });

  test("can be shorter, and a late response is reported while it is awaited", async ({ expect }) => {
    const receiver = await aRudeReceiver((socket) => socket.resume());
    const startedAt = performance.now();
    let lateAt = 0;

    const result = await post(`http://127.0.0.1:${receiver.port}/`, aClient(), {
      timeout: 600,
      late: {
        after: 300,
        report: () => {
          lateAt = performance.now();
        },
      },
    });

    expect(result).toMatchObject({ failure: "timeout" });
    expect(result.durationMs).toBeGreaterThan(590);
    expect(result.durationMs).toBeLessThan(3_000);
    expect(lateAt - startedAt).toBeGreaterThan(290);
    expect(lateAt - startedAt).toBeLessThan(result.durationMs);
    await expect.poll(() => receiver.sockets[0]?.destroyed).toBe(true);
  });

  test("does not report a fast response as late", async ({ expect }) => {
    const receiver = await anHttpReceiver();
    let late = 0;

    for (let posts = 0; posts < 3; posts++) {
      await post(`http://127.0.0.1:${receiver.port}/`, aClient(), {
        timeout: 1_000,
        late: {
          after: 500,
          report: () => {
            late += 1;
          },
        },
      });
    }

    await new Promise((resolve) => setTimeout(resolve, 600));
    expect(late).toBe(0);
  });

  test("covers the connection, if it is shorter", async ({ expect }) => {
    const receiver = await aRudeReceiver(() => {});

    const result = await post(`https://127.0.0.1:${receiver.port}/`, aClient(), { timeout: 500 });

    expect(result).toMatchObject({ failure: "timeout" });
    expect(result.durationMs).toBeLessThan(2_000);
  });

  test("allows three seconds for the connection", async ({ expect }) => {
    const receiver = await aRudeReceiver((socket) => socket.resume());

    const result = await post(`https://127.0.0.1:${receiver.port}/`);

    expect(result).toMatchObject({ failure: "timeout" });
    expect(result.durationMs).toBeGreaterThan(2_900);
    // undici's own timeout takes at least half a second longer.
    expect(result.durationMs).toBeLessThan(3_450);
    await expect.poll(() => receiver.sockets[0]?.destroyed, { timeout: 5_000 }).toBe(true);
  });

  test.for([
    ["nothing", ""],
    ["a keep-alive of two minutes", "Keep-Alive: timeout=120\r\n"],
  ] as const)(
    "is separate from the idle timeout of four seconds, if the receiver offers %s",
    async ([, offer], { expect }) => {
      const idle = Promise.withResolvers<number>();
      const receiver = await aRudeReceiver((socket) => {
        let respondedAt = 0;
        socket.once("data", () => {
          socket.write(`HTTP/1.1 204 No Content\r\n${offer}\r\n`);
          respondedAt = performance.now();
        });
        socket.resume().once("end", () => idle.resolve(performance.now() - respondedAt));
      });

      await post(`http://127.0.0.1:${receiver.port}/`);

      expect(await idle.promise).toBeGreaterThan(3_500);
      expect(await idle.promise).toBeLessThan(6_000);
    },
  );
});

/** Responds to a request with `first`, then with `text` again and again, five times a second. */
function trickle(first: string, text: string) {
  return (socket: Socket) => {
    socket.once("data", () => {
      socket.write(first);
      const timer = setInterval(() => socket.write(text), 200);
      socket.once("close", () => clearInterval(timer));
    });
  };
}

describe("a webhook request over TLS", () => {
  test("is sent if the certificate is trusted and names the receiver", async () => {
    const certificate = aCertificate("IP:127.0.0.1,DNS:localhost");
    trust(certificate.cert);
    const receiver = await aTlsReceiver(certificate);

    expect(await post(`https://127.0.0.1:${receiver.port}/`)).toMatchObject({ statusCode: 204 });
    expect(await post(`https://localhost:${receiver.port}/`)).toMatchObject({ statusCode: 204 });
    expect(receiver.requests[0]?.body).toEqual(Buffer.from(BODY));
  });

  test("is sent over HTTP/1.1 to a receiver that prefers HTTP/2", async () => {
    const certificate = aCertificate("IP:127.0.0.1");
    trust(certificate.cert);
    const receiver = await aTlsReceiver(certificate);

    await post(`https://127.0.0.1:${receiver.port}/`);

    expect(receiver.requests).toMatchObject([{ httpVersion: "1.1" }]);
  });

  test("is refused before anything is sent if the certificate is not trusted", async () => {
    const receiver = await aTlsReceiver(aCertificate("IP:127.0.0.1"));

    expect(await post(`https://127.0.0.1:${receiver.port}/`)).toMatchObject({ failure: "tls_failed" });
    expect(receiver.requests).toHaveLength(0);
  });

  test.each([
    ["has a key that is too short", () => aWeakCertificate("IP:127.0.0.1")],
    ["has another name", () => aCertificate("DNS:another.example.com")],
  ])("is refused before anything is sent if the certificate %s", async (_, issued) => {
    const certificate = issued();
    trust(certificate.cert);
    const receiver = await aTlsReceiver(certificate);

    expect(await post(`https://127.0.0.1:${receiver.port}/`)).toMatchObject({ failure: "tls_failed" });
    expect(receiver.requests).toHaveLength(0);
  });

  test.each(["TLSv1.2", "TLSv1.3"] as const)(
    "fails as TLS does if the receiver demands a certificate, with %s",
    async (version) => {
      const certificate = aCertificate("IP:127.0.0.1");
      trust(certificate.cert);
      const { port } = await aDemandingReceiver(certificate, version);
      const client = aClient();

      // The alert of TLS 1.3 arrives after the connection is established.
      for (let posts = 0; posts < 3; posts++) {
        expect(await post(`https://127.0.0.1:${port}/`, client)).toMatchObject({ failure: "tls_failed" });
      }
    },
  );

  test("is not sent over a connection that is established after its timeout", {
    timeout: 20_000,
  }, async () => {
    const certificate = aCertificate("IP:127.0.0.1");
    trust(certificate.cert);
    const receiver = await aTlsReceiver(certificate);
    const slow = await aRudeReceiver((socket) => {
      // Later than the timeout, but before undici's own closes the socket.
      setTimeout(() => socket.pipe(connect(receiver.port, "127.0.0.1")).pipe(socket), 3_200);
    });

    expect(await post(`https://127.0.0.1:${slow.port}/`)).toMatchObject({ failure: "timeout" });
    await expect.poll(() => slow.sockets[0]?.destroyed, { timeout: 5_000 }).toBe(true);
    expect(receiver.requests).toHaveLength(0);
  });

  test("is refused if the receiver speaks plain HTTP", async () => {
    const receiver = await anHttpReceiver();

    expect(await post(`https://127.0.0.1:${receiver.port}/`)).toMatchObject({ failure: "tls_failed" });
    expect(receiver.requests).toHaveLength(0);
  });
});

describe("no webhook request reaches a private address", () => {
  const hasIpv6 = Object.values(networkInterfaces())
    .flat()
    .some((networkInterface) => networkInterface?.address === "::1");

  test.each([
    "127.0.0.1",
    "127.1",
    "2130706433",
    "0x7f.1",
    "0x7f000001",
    "0177.0.0.1",
    "0",
    "0.0.0.0",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[::127.0.0.1]",
    "[::]",
    "[64:ff9b::7f00:1]",
    "localhost",
    "LOCALHOST",
    "localhost.",
    "app.localhost",
  ])("on this machine by http://%s", async (host) => {
    const receiver = await anHttpReceiver();

    const result = await post(`http://${host}:${receiver.port}/`, aClient(""));

    // Not every resolver knows these.
    const mayBeUnknown = host.includes("localhost.") || host.includes(".localhost");
    expect("failure" in result && result.failure).toBeOneOf([
      "address_refused",
      ...(mayBeUnknown ? ["name_not_resolved"] : []),
    ]);
    // A connection that had been made would be counted before the one that is made now.
    await post(`http://127.0.0.1:${receiver.port}/`);
    expect(receiver.connections()).toBe(1);
  });

  test.skipIf(!hasIpv6)("on this machine by http://[::1]", async () => {
    const receiver = await anHttpReceiver(() => ({}), { host: "::1" });

    expect(await post(`http://[::1]:${receiver.port}/`, aClient(""))).toMatchObject({
      failure: "address_refused",
    });
    expect(await post(`http://[::1]:${receiver.port}/`)).toMatchObject({ statusCode: 204 });
    expect(receiver.connections()).toBe(1);
  });

  test("but an IPv6 address of an allowed network is connected to", async () => {
    // Port 9 (discard) is not served on loopback.
    expect(await post("http://[::1]:9/")).toMatchObject({ failure: "connection_failed" });
  });

  test("on this machine over TLS", async () => {
    const receiver = await aRudeReceiver(() => {});

    for (const host of ["127.0.0.1", "localhost", "[::ffff:127.0.0.1]"]) {
      expect(await post(`https://${host}:${receiver.port}/`, aClient(""))).toMatchObject({
        failure: "address_refused",
      });
    }
    expect(receiver.connections()).toBe(0);
  });

  test("next to an allowed network", async () => {
    const receiver = await anHttpReceiver();

    expect(await post(`http://127.0.0.1:${receiver.port}/`, aClient("127.0.0.2/32"))).toMatchObject({
      failure: "address_refused",
    });
    expect(receiver.connections()).toBe(0);
  });

  test.each(["10.0.0.1", "169.254.169.254", "[fd00:ec2::254]", "192.168.0.1", "[fe80::1]", "100.64.0.1"])(
    "in another network: %s is refused at once",
    async (host) => {
      const result = await post(`http://${host}/latest/meta-data/`);

      expect(result).toMatchObject({ failure: "address_refused" });
      expect(result.durationMs).toBeLessThan(1_000);
    },
  );
});

test("closing the client closes its idle connections", async () => {
  const receiver = await anHttpReceiver();
  const client = aClient();
  await post(`http://127.0.0.1:${receiver.port}/`, client);
  expect(receiver.sockets[0]?.destroyed).toBe(false);

  await client.close();

  await expect.poll(() => receiver.sockets[0]?.destroyed).toBe(true);
});

describe("a proxy in the environment", () => {
  test("is not used for webhook requests, whatever its variable is called", async () => {
    const proxy = await aRudeReceiver((socket) => socket.end());
    const receiver = await anHttpReceiver();
    const address = `http://127.0.0.1:${proxy.port}`;

    const result = await postFromAnotherProcess(`http://127.0.0.1:${receiver.port}/`, {
      HTTP_PROXY: address,
      HTTPS_PROXY: address,
      ALL_PROXY: address,
      http_proxy: address,
      https_proxy: address,
      all_proxy: address,
      NODE_USE_ENV_PROXY: "1",
    });

    expect(result).toMatchObject({ statusCode: 204 });
    expect(receiver.requests).toHaveLength(1);
    expect(proxy.connections()).toBe(0);
  });
});

/** Posts from a process that has had these variables from its start. */
async function postFromAnotherProcess(url: string, variables: Readonly<Record<string, string>>) {
  const script = `
    const { guardedAgent, WebhookClient } = await import("#webhooks/delivery/webhook-client");
    const { AllowedNetworks } = await import("#webhooks/endpoints/delivery-address");
    const client = new WebhookClient(guardedAgent(AllowedNetworks.parse("127.0.0.0/8")));
    console.log(JSON.stringify(await client.post(${JSON.stringify(url)}, {}, "{}", { timeout: 10_000 })));
    await client.close();
  `;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", script], {
    cwd: join(import.meta.dirname, "..", ".."),
    env: { ...process.env, ...variables },
  });
  return JSON.parse(stdout) as unknown;
}

/** Trusts a certificate until the test is finished. */
function trust(certificate: string): void {
  const before = getCACertificates("default");
  setDefaultCACertificates([...before, certificate]);
  onTestFinished(() => setDefaultCACertificates(before));
}
