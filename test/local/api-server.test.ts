import { setTimeout as delay } from "node:timers/promises";
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
  await fetch(server.url, { signal: AbortSignal.timeout(200) }).catch(() => {});
  // The server has noticed the closed connection by then.
  await delay(200);

  server.open({ extension: undefined, gateway: () => undefined });

  expect((await fetch(server.url)).status).toBe(404);
  await server.stop();
  expect(faults).toEqual([]);
});
