import { once } from "node:events";
import {
  Agent,
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { crc32 } from "node:zlib";
import { CALM, type Fault, faultAt, type Shares } from "./fault.ts";

/** Bounds of a delay, in ms. */
const SHORTEST_DELAY_MS = 50;
const LONGEST_DELAY_MS = 2_500;

/** DynamoDB's errors of a client that sends too much (Amazon DynamoDB developer guide, "Error messages and codes"). */
const THROTTLES = [
  {
    __type: "com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException",
    message: "The level of configured provisioned throughput for the table was exceeded.",
  },
  {
    __type: "com.amazon.coral.availability#ThrottlingException",
    message: "Rate of requests exceeds the allowed throughput.",
  },
] as const;

interface FaultProxyOptions {
  /** Where requests are passed on to, as `http://127.0.0.1:<port>`; asked for each request. */
  readonly upstream: () => string;
  /** From 0 to 1. A seed repeats the draws, not the order in which requests arrive to meet them. */
  readonly random: () => number;
}

/** What became of the requests that faults may happen to. */
type FaultCounts = Readonly<Record<Fault | "passed", number>>;

export interface FaultProxy {
  /** As `http://127.0.0.1:<port>`. */
  readonly url: string;
  readonly counts: FaultCounts;
  /** Sets what happens to the requests that arrive from now on; nothing at first. */
  use(shares: Shares): void;
  stop(): Promise<void>;
}

/**
 * An HTTP proxy before DynamoDB Local that lets requests of the functions fail. The functions run in Lambda's
 * environment, which the SDK names in `User-Agent`. Requests of the local stack itself, which creates the table,
 * polls its stream and shows it in the console, pass as they are: on AWS no part of the service sends those.
 */
export async function startFaultProxy({ upstream, random }: FaultProxyOptions): Promise<FaultProxy> {
  const agent = new Agent({ keepAlive: true });
  const counts = { passed: 0, lost: 0, throttled: 0, reset: 0, delayed: 0 };
  let shares = CALM;
  const pass = (message: IncomingMessage, body: Buffer) =>
    forward(message, body, { upstream: upstream(), agent });
  // A connection that ends while a request is on its way would be a fault that nobody has drawn.
  const server = createServer({ keepAliveTimeout: 60_000 }, (message, response) => {
    // A connection that its client has closed gets no response.
    void handle(message, response).catch(() => response.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    counts,
    use(given) {
      shares = given;
    },
    async stop() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      agent.destroy();
      await closed;
    },
  };

  async function handle(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = Buffer.concat(await Array.fromAsync(message));
    if (!isOfFunction(message.headers)) return respond(response, await pass(message, body));
    const fault = faultAt(random(), shares);
    counts[fault ?? "passed"] += 1;
    switch (fault) {
      case "reset":
        response.destroy();
        return;
      case "throttled":
        return respond(response, throttle(random()));
      case "lost":
        await pass(message, body);
        response.destroy();
        return;
      case "delayed": {
        const wait = SHORTEST_DELAY_MS + random() * (LONGEST_DELAY_MS - SHORTEST_DELAY_MS);
        const onTheWayBack = random() < 0.5;
        if (!onTheWayBack) await delay(wait);
        const passed = await pass(message, body);
        if (onTheWayBack) await delay(wait);
        return respond(response, passed);
      }
      default:
        return respond(response, await pass(message, body));
    }
  }
}

interface Passed {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

function forward(
  { method, url, headers }: IncomingMessage,
  body: Buffer,
  { upstream, agent }: { readonly upstream: string; readonly agent: Agent },
): Promise<Passed> {
  const { promise, resolve, reject } = Promise.withResolvers<Passed>();
  const to = new URL(url ?? "/", upstream);
  request(to, { agent, method, headers }, async (response) => {
    try {
      const content = Buffer.concat(await Array.fromAsync(response));
      resolve({ status: response.statusCode ?? 502, headers: response.headers, body: content });
    } catch (error) {
      reject(error);
    }
  })
    .on("error", reject)
    .end(body);
  return promise;
}

function isOfFunction(headers: IncomingHttpHeaders): boolean {
  return headers["user-agent"]?.includes("exec-env/AWS_Lambda") ?? false;
}

function throttle(point: number): Passed {
  const body = Buffer.from(JSON.stringify(THROTTLES[point < 0.5 ? 0 : 1]));
  return {
    status: 400,
    headers: { "content-type": "application/x-amz-json-1.0", "x-amz-crc32": String(crc32(body)) },
    body,
  };
}

function respond(response: ServerResponse, { status, headers, body }: Passed): void {
  const { connection: _, "transfer-encoding": __, ...own } = headers;
  response.writeHead(status, { ...own, "content-length": body.length }).end(body);
}
