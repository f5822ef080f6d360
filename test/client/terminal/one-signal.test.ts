import { expect, test } from "vitest";
import { oneSignal } from "../../../client/terminal/one-signal.ts";

test("A signal that npm passes on is the terminal's Ctrl-C, and one a second later is another", () => {
  const calls: string[] = [];
  let now = 5_000;
  const interrupt = oneSignal(
    (signal) => calls.push(`stop on ${signal}`),
    (signal) => calls.push(`end on ${signal}`),
    () => now,
  );

  interrupt("SIGINT");
  now += 50;
  interrupt("SIGINT");
  now += 900;
  interrupt("SIGTERM");
  expect(calls).toEqual(["stop on SIGINT"]);

  now += 50;
  interrupt("SIGINT");
  expect(calls).toEqual(["stop on SIGINT", "end on SIGINT"]);
});
