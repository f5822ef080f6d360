import { expect, test } from "vitest";
import { Throttle } from "../../../local/api-gateway/throttle.ts";

test("A throttle allows the burst at once, then the rate, and after a pause no more than the burst", () => {
  let now = 0;
  const throttle = new Throttle({ ratePerSecond: 10, burst: 3 }, () => now);
  const take = (count: number) => Array.from({ length: count }, () => throttle.take());
  expect(take(4)).toEqual([true, true, true, false]);
  now = 200;
  expect(take(3)).toEqual([true, true, false]);
  now = 60_000;
  expect(take(4)).toEqual([true, true, true, false]);
});
