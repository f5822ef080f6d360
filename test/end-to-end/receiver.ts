import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { expectDescribedDelivery } from "./description.ts";
import type { Received } from "./messages.ts";

export interface Receiver {
  readonly url: string;
  readonly deliveries: readonly Received[];
  /** Waits until `count` deliveries are there that the predicate takes. */
  waitFor(count: number, predicate?: (delivery: Received) => boolean): Promise<Received[]>;
  /** Waits until a condition holds that deliveries may bring about. */
  waitUntil(condition: () => boolean): Promise<void>;
}

/** What a receiver does with a delivery: responds to it, or leaves it hanging. */
export type Respond = (response: ServerResponse, delivery: Received) => void;

const acknowledge: Respond = (response) => response.writeHead(204).end();

/**
 * A webhook receiver on loopback that lives as long as the test. A concurrent test gives the `onTestFinished` of its
 * context.
 */
export async function aReceiver(
  respond: Respond = acknowledge,
  whenFinished: (close: () => void) => void = onTestFinished,
): Promise<Receiver> {
  const deliveries: Received[] = [];
  const waiting = new Set<() => void>();
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await Array.fromAsync(request)).toString("utf8");
    const delivery = { headers: request.headers, body, event: JSON.parse(body), at: Date.now() };
    deliveries.push(delivery);
    for (const check of waiting) check();
    respond(response, delivery);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  whenFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hooks?from=test`,
    deliveries,
    async waitFor(count, predicate = () => true) {
      await waitUntil(() => deliveries.filter(predicate).length >= count);
      const received = deliveries.filter(predicate);
      received.forEach(expectDescribedDelivery);
      return received;
    },
    waitUntil,
  };

  function waitUntil(condition: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const check = () => {
        if (!condition()) return;
        waiting.delete(check);
        resolve();
      };
      waiting.add(check);
      check();
    });
  }
}
