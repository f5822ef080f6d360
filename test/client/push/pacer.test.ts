import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { Pacer } from "../../../client/push/pacer.ts";

test("calls that wait for the end of a pause share one listener on the signal that ends it", async () => {
  const stopping = new AbortController();
  const pacer = new Pacer();
  pacer.pause(60_000, "the service fails");

  const waiting = Promise.all(Array.from({ length: 64 }, () => pacer.ready(stopping.signal)));
  expect(getEventListeners(stopping.signal, "abort")).toHaveLength(1);
  stopping.abort();

  await waiting;
  expect(getEventListeners(stopping.signal, "abort")).toEqual([]);
});
