import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";

/** How long the last events may take to arrive, in ms. */
const LATE_MS = 15_000;

/** A receiver that acknowledges events, and records when each arrives. */
export async function aReceiver() {
  const receivedAt = new Map<string, number>();
  let samples = 0;
  const server = await aServer(async (message, response) => {
    const at = performance.now();
    const event = JSON.parse(await text(message)) as { sample?: true; data: { externalId: string } };
    if (event.sample) samples += 1;
    else receivedAt.set(event.data.externalId, at);
    response.writeHead(204).end();
  });
  return {
    ...server,
    /** How many sample events have arrived. */
    samples: () => samples,
    /**
     * How long the candidates' events took to arrive, in ms; infinite for those that have not within {@link LATE_MS}.
     *
     * @param sentAt when the request of each create was sent, by `externalId`, in ms of `performance.now()`
     */
    async delaysSince(sentAt: ReadonlyMap<string, number>): Promise<number[]> {
      const until = performance.now() + LATE_MS;
      const isMissing = () => [...sentAt.keys()].some((externalId) => !receivedAt.has(externalId));
      while (isMissing() && performance.now() < until) await delay(50);
      return [...sentAt].map(
        ([externalId, at]) => (receivedAt.get(externalId) ?? Number.POSITIVE_INFINITY) - at,
      );
    },
  };
}

/** A server on a free port of the loopback interface. */
export async function aServer(listener: RequestListener) {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
